// SPDX-License-Identifier: GPL-3.0-or-later
// The scenario table and the plot that it belongs to: values, order, labels and the room that the plot has.
#include "tests/ui/window_fixture.h"
#include "ui/distribution/distributionpage.h"
#include "ui/look/format.h"
#include "ui/theme/segmented.h"
#include "ui/window/scenariopanel.h"

namespace prism::ui::test {

using namespace Qt::StringLiterals;

class ScenarioTable : public WindowTest {
protected:
    using Model = ScenarioTableModel;
    static CdfChart& chart(MainWindow& window) { return static_cast<DistributionPage*>(window.pages().page(u"distribution"_s))->chart(); }
    static QModelIndex cell(MainWindow& window, int row, int column) { return window.scenarios().table().model()->index(row, column); }
    static QStringList names(MainWindow& window)
    {
        QStringList all;
        for (int row = 0; row < window.scenarios().table().model()->rowCount(); ++row)
            all << cell(window, row, Model::nameColumn).data().toString();
        return all;
    }
    /// Scenarios that differ in their spreads, with long names.
    static void addScenarios(MainWindow& window, int count)
    {
        StudyModel& study = window.workspace().study();
        while (static_cast<int>(study.state().entries.size()) < count) {
            const int id = study.duplicate(1);
            const auto number = study.state().entries.size();
            (void)study.setParameter(id, "variability.gemm.cv", std::to_string(0.02 + 0.004 * static_cast<double>(number)));
            study.rename(id, u"Layout number %1 of the comparison with a name that is long"_s.arg(number));
        }
        settle(window);
    }
    static void expectLabelsSeparate(MainWindow& window)
    {
        (void)window.grab();
        const QList<PaintedLabel> labels = chart(window).labels();
        ASSERT_FALSE(labels.isEmpty());
        for (qsizetype i = 0; i < labels.size(); ++i)
            for (qsizetype k = 0; k < i; ++k)
                EXPECT_FALSE(labels[i].place.rect.intersects(labels[k].place.rect))
                    << labels[i].text.toStdString() << " covers " << labels[k].text.toStdString();
    }
};

TEST_F(ScenarioTable, MetricsAreThoseOfTheShownResultsOnOneScale)
{
    auto window = smallWindow();
    const SnapshotPtr base = shown(*window, 1), slow = shown(*window, 2);
    const auto range = [&](int row) { return cell(*window, row, Model::rangeColumn).data(Model::kRangeRole).value<PercentileRange>(); };
    for (const int row : {0, 1}) {
        const DistributionSummary& d = (row == 0 ? base : slow)->across;
        EXPECT_EQ(range(row).p50, d.p50);
        EXPECT_EQ(range(row).p95, d.p95);
        EXPECT_EQ(range(row).p99, d.p99);
        EXPECT_EQ(range(row).low, std::min(base->across.p50, slow->across.p50));
        EXPECT_EQ(range(row).high, std::max(base->across.p99, slow->across.p99));
        EXPECT_EQ(cell(*window, row, Model::p95Column).data().toString(), format::seconds(d.p95).text());
        EXPECT_EQ(cell(*window, row, Model::rangeColumn).data().toString(), QString()) << "no word for what is computed";
    }
    EXPECT_EQ(cell(*window, 0, Model::changeColumn).data().toString(), u"baseline"_s);
    const double change = slow->across.p95 / base->across.p95 - 1;
    EXPECT_EQ(cell(*window, 1, Model::changeColumn).data().toString(), format::percentDelta(change));
    window->workspace().study().setBaseline(2);
    settle(*window);
    EXPECT_TRUE(cell(*window, 0, Model::changeColumn).data().toString().startsWith(u"−"_s));
}

TEST_F(ScenarioTable, NamesHaveTheRoomOfTheChangeWhereNothingIsCompared)
{
    auto window = smallWindow();
    QTableView& table = window->scenarios().table();
    const int compared = table.columnWidth(Model::nameColumn);
    ASSERT_FALSE(table.isColumnHidden(Model::changeColumn));
    StudyState unpinned = window->workspace().study().state();
    unpinned.baselineId = -1;
    window->workspace().study().reset(unpinned, 1);
    settle(*window);
    EXPECT_TRUE(table.isColumnHidden(Model::changeColumn)) << "without a baseline there is no change";
    EXPECT_GT(table.columnWidth(Model::nameColumn), compared + 20);
    window->workspace().study().setBaseline(1);
    settle(*window);
    EXPECT_FALSE(table.isColumnHidden(Model::changeColumn));
    EXPECT_EQ(table.columnWidth(Model::nameColumn), compared);
}

TEST_F(ScenarioTable, CommandsThatEditAreOffWhereNothingCanBeEdited)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    const QAction* add = window->actions().get(u"scenario.add"_s);
    StudyState unpinned = study.state();
    unpinned.baselineId = -1;
    study.reset(unpinned, 2);
    EXPECT_TRUE(add->text().contains(u"current"_s)) << add->text().toStdString();
    const auto before = study.state().entries.size();
    window->actions().get(u"scenario.add"_s)->trigger();
    ASSERT_EQ(study.state().entries.size(), before + 1) << "without a baseline a copy of the current scenario";
    EXPECT_EQ(study.current()->parentId, 2);
    for (const bool readOnly : {true, false}) {
        study.setReadOnly(readOnly);
        for (const char* id : {"add", "duplicate", "archive", "rename", "pin", "visible", "showOnly", "applyTo", "up", "down"})
            EXPECT_EQ(window->actions().get(u"scenario."_s + QString::fromLatin1(id))->isEnabled(), !readOnly) << id;
    }
}

TEST_F(ScenarioTable, SortsByAColumnAndReturnsToTheOrderOfTheStudy)
{
    auto window = smallWindow();
    addScenarios(*window, 4);
    const QStringList order = names(*window);
    QTableView& table = window->scenarios().table();
    table.sortByColumn(Model::p95Column, Qt::DescendingOrder);
    double before = 1e9;
    for (int row = 0; row < 4; ++row) {
        const double p95 = cell(*window, row, Model::rangeColumn).data(Model::kRangeRole).value<PercentileRange>().p95;
        EXPECT_LE(p95, before);
        before = p95;
    }
    EXPECT_NE(names(*window), order);
    EXPECT_FALSE(cell(*window, 0, Model::nameColumn).flags() & Qt::ItemIsDragEnabled) << "a sorted table cannot be put in order by hand";
    const QString first = names(*window).front();
    window->workspace().study().setCurrent(static_cast<Model*>(table.model())->idAt(0));
    window->scenarios().stepCurrent(1); // the row below, not the next of the study
    EXPECT_EQ(static_cast<Model*>(table.model())->rowOf(window->workspace().study().currentId()), 1);
    table.sortByColumn(-1, Qt::AscendingOrder);
    EXPECT_EQ(names(*window), order);
    EXPECT_TRUE(cell(*window, 0, Model::nameColumn).flags() & Qt::ItemIsDragEnabled);
}

TEST_F(ScenarioTable, EachCurveReportsItsNameAndItsShareBeyondTheLimit)
{
    auto window = smallWindow();
    window->workspace().study().setLimit(shown(*window, 2)->across.p50);
    settle(*window);
    (void)window->grab();
    for (const int id : {1, 2}) {
        QStringList texts;
        for (const PaintedLabel& label : chart(*window).labels())
            if (label.scenario == id)
                texts << label.text;
        ASSERT_EQ(texts.size(), 2);
        const double share = shareAt(*shown(*window, id), false, {0, shown(*window, 2)->across.p50}).value;
        EXPECT_EQ(texts[0], u"misses %1"_s.arg(plainText(shareRuns(share, 0)).section(u" ±"_s, 0, 0)));
        EXPECT_TRUE(texts[1].startsWith(QString::fromStdString(shown(*window, id)->scenario.name))) << texts[1].toStdString();
    }
    EXPECT_TRUE(chart(*window).labels().back().text.endsWith(cell(*window, 1, Model::changeColumn).data().toString()));
}

TEST_F(ScenarioTable, ThePlotHasTheRoomAndLabelsDoNotOverlap)
{
    auto window = smallWindow();
    addScenarios(*window, 12);
    for (const auto& [size, scale] : {std::pair{QSize(1440, 900), 1.0}, {QSize(2560, 1440), 1.75}}) {
        window->resize(size);
        window->theme().setUiScale(scale);
        settle(*window);
        const QWidget* page = window->pages().current();
        const QRectF plot = chart(*window).plotArea();
        EXPECT_GE(plot.width() * plot.height(), 0.45 * page->width() * page->height()) << "at scale " << scale;
        auto* modes = window->pages().current()->tools()->findChild<SegmentedControl*>();
        for (int mode = 0; mode < 3; ++mode) {
            modes->setCurrent(mode);
            Q_EMIT modes->chosen(mode);
            expectLabelsSeparate(*window);
        }
        modes->setCurrent(0);
        Q_EMIT modes->chosen(0);
    }
}

} // namespace prism::ui::test
