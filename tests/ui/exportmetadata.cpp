// SPDX-License-Identifier: GPL-3.0-or-later
// A picture or a report dropped on the window opens the state that it shows.
#include "tests/ui/window_fixture.h"
#include "ui/plot/exportmetadata.h"
#include "ui/window/logimport.h"

#include <QJsonDocument>
#include <QJsonObject>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class ExportedFiles : public WindowTest {
protected:
    /// A picture of the scenario 2 of the small study.
    QString picture(MainWindow& window)
    {
        window.workspace().study().setCurrent(2);
        settle(window);
        const QString path = folder.filePath(u"chart.png"_s);
        EXPECT_EQ(window.pages().exportTo(path), QString());
        return path;
    }
    static void write(const QString& path, const QByteArray& text)
    {
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
    }
    static bool hasBanner(MainWindow& window) { return !window.findChild<QWidget*>(u"banner"_s)->isHidden(); }
};

TEST_F(ExportedFiles, APictureShowsItsScenarioOfTheSameStudy)
{
    auto window = smallWindow();
    const QString path = picture(*window);
    StudyModel& study = window->workspace().study();
    study.setArchived(2, true);
    ASSERT_EQ(study.currentId(), 1);
    window->pages().showPage(u"scale"_s);
    window->openDropped(path);
    EXPECT_EQ(study.currentId(), 2);
    EXPECT_FALSE(study.entry(2)->archived);
    EXPECT_EQ(study.state().entries.size(), 2U);
    EXPECT_EQ(window->pages().current()->id(), u"distribution"_s);
    settle(*window);
}

TEST_F(ExportedFiles, APictureBringsItsScenarioIntoAnotherStudyWithSeedAndSamples)
{
    QString path;
    ContentHash hash;
    {
        auto window = smallWindow();
        window->workspace().bridge().setSeed(7);
        window->workspace().bridge().setSamples(600);
        window->workspace().recompute();
        settle(*window);
        path = picture(*window);
        hash = window->workspace().study().current()->scenario->hash();
    }
    auto window = makeWindow();
    window->openSample();
    window->openDropped(path);
    EXPECT_EQ(window->workspace().study().current()->scenario->hash(), hash);
    EXPECT_EQ(window->workspace().bridge().seed(), 7U);
    EXPECT_EQ(window->workspace().bridge().samples(), 600);
    settle(*window);
    ASSERT_TRUE(window->workspace().context().current()->snapshot);
    EXPECT_EQ(window->workspace().context().current()->snapshot->seed, 7U);
    window->workspace().study().undoStack()->undo();
    EXPECT_EQ(window->workspace().study().state().entries.size(), 3U) << "one step";
}

TEST_F(ExportedFiles, EveryKindOfExportOpensItsState)
{
    QStringList paths;
    ContentHash hash;
    {
        auto window = smallWindow();
        window->workspace().study().setCurrent(2);
        settle(*window);
        for (const QString& ending : {u"png"_s, u"svg"_s, u"pdf"_s, u"csv"_s}) {
            paths << folder.filePath(u"chart."_s + ending);
            EXPECT_EQ(window->pages().exportTo(paths.back()), QString());
        }
        hash = window->workspace().study().current()->scenario->hash();
    }
    for (const QString& path : paths) {
        auto window = makeWindow();
        StudyState other;
        other.entries.push_back({1, std::make_shared<const Scenario>(smallScenario("other")), 0, true, false});
        other.baselineId = 1;
        window->workspace().study().reset(other, 1);
        window->openDropped(path);
        EXPECT_EQ(window->workspace().study().current()->scenario->hash(), hash) << path.toStdString();
        EXPECT_EQ(window->workspace().bridge().samples(), 1000) << path.toStdString();
        settle(*window);
    }
}

TEST_F(ExportedFiles, AMarkIsReadWhereverItIsAndNotWhenItWasChanged)
{
    const ExportMetadata whole{.scenario = u"a \"b\" <c> ; ü"_s,
                               .hash = u"0123456789abcdef"_s,
                               .seed = 18'446'744'073'709'551'615ULL,
                               .samples = 10'000,
                               .version = u"0.1.0"_s,
                               .page = u"scale"_s,
                               .scenarioJson = u"{\"x\": [1, 2]}"_s};
    const QByteArray mark = metadataMark(whole);
    ASSERT_FALSE(mark.isEmpty());
    EXPECT_EQ(markedMetadata("%PDF /Creator (" + mark + ")\n"), whole);
    QByteArray wide;
    for (const char c : mark)
        wide += QByteArray(1, '\0') + c;
    EXPECT_EQ(markedMetadata("(" + wide + ")"), whole) << "UTF-16, as a PDF has it";
    QByteArray bent = mark;
    bent[bent.size() / 2] = bent[bent.size() / 2] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(markedMetadata(bent) == whole);
    for (const QByteArray& broken : {QByteArray("prism-receipt:"), QByteArray("prism-receipt:!!!"), mark.left(mark.size() / 2),
                                     QByteArray("prism-receipt:")
                                         + QByteArray("\xff\xff\xff\xff"
                                                      "12345678",
                                                      12)
                                               .toBase64(),
                                     QByteArray()})
        EXPECT_FALSE(markedMetadata(broken).has_value()) << broken.toStdString();
    EXPECT_TRUE(metadataMark({}).isEmpty());
}

TEST_F(ExportedFiles, AReportOpensWhatItIsOfAndAForeignOneChangesNothing)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    const StudyState before = study.state();
    const QString path = folder.filePath(u"report.json"_s);
    QJsonObject report{{u"scenario"_s, u"base + slow node"_s},
                       {u"hash"_s, QString::fromStdString(study.entry(2)->scenario->hash().text())},
                       {u"seed"_s, 1},
                       {u"samples"_s, 1000},
                       {u"engine_version"_s, u"0.1.0"_s}};
    write(path, QJsonDocument(report).toJson());
    window->openDropped(path);
    EXPECT_EQ(study.currentId(), 2);
    EXPECT_TRUE(study.state() == before);

    study.setCurrent(1);
    report[u"hash"_s] = u"0000000000000000"_s;
    write(path, QJsonDocument(report).toJson());
    window->openDropped(path);
    EXPECT_EQ(study.currentId(), 1);
    EXPECT_TRUE(study.state() == before);
    EXPECT_TRUE(hasBanner(*window));
    settle(*window);
}

TEST_F(ExportedFiles, AForgedPictureIsNotTrusted)
{
    auto window = smallWindow();
    const StudyState before = window->workspace().study().state();
    ExportMetadata forged{.scenario = u"x"_s,
                          .hash = u"0123456789abcdef"_s,
                          .seed = 1,
                          .samples = 1'000'000'000,
                          .version = u"0"_s,
                          .page = u"nowhere"_s,
                          .scenarioJson = QString::fromStdString(toJson(smallScenario("other")))};
    EXPECT_FALSE(openExported(*window, forged, u"forged.png"_s)) << "the scenario is not the one of the hash";
    EXPECT_TRUE(window->workspace().study().state() == before);
    forged.scenarioJson = u"{"_s;
    EXPECT_FALSE(openExported(*window, forged, u"forged.png"_s));
    EXPECT_FALSE(metadataIn(folder.filePath(u"missing.png"_s), {}).has_value());
    EXPECT_FALSE(metadataIn(u"a.json"_s, "[1, 2").has_value());
}

} // namespace prism::ui::test
