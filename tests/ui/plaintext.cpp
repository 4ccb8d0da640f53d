// SPDX-License-Identifier: GPL-3.0-or-later
// Text from files is text: a study, an import and a file name full of markup load nothing and are read as they are.
#include "tests/ui/window_fixture.h"
#include "ui/theme/plaintext.h"
#include "ui/window/dialogs.h"

#include <QAbstractItemView>
#include <QDialog>
#include <QHelpEvent>
#include <QLabel>
#include <QRegularExpression>
#include <QToolTip>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

namespace {

constexpr QRgb kSignal = 0xffff00fe; // in no palette

/// A picture that must not be loaded: one colour, large enough to be seen wherever it would be laid out.
QString trap(const QTemporaryDir& folder)
{
    const QString path = folder.filePath(u"trap.png"_s);
    QImage image(240, 240, QImage::Format_RGB32);
    image.fill(kSignal);
    EXPECT_TRUE(image.save(path));
    return u"<img src=\"file://%1\"><b>bold</b>"_s.arg(path);
}

int trapPixels(QWidget& widget)
{
    const QImage image = widget.grab().toImage();
    int found = 0;
    for (int y = 0; y < image.height(); y += 3)
        for (int x = 0; x < image.width(); x += 3)
            found += image.pixel(x, y) == kSignal ? 1 : 0;
    return found;
}

void expectPlain(QWidget& root, const char* where)
{
    EXPECT_EQ(trapPixels(root), 0) << where << ": a picture was loaded";
    for (const QLabel* label : root.findChildren<QLabel*>())
        EXPECT_EQ(label->textFormat(), Qt::PlainText) << where << ": " << label->text().toStdString();
}

void expectPlainTip(QWidget& widget, QPoint at, const char* where)
{
    QHelpEvent help(QEvent::ToolTip, at, widget.mapToGlobal(at));
    QApplication::sendEvent(&widget, &help);
    static const QRegularExpression kTag(u"<\\s*(img|b)\\b"_s);
    if (const QString tip = QToolTip::text(); Qt::mightBeRichText(tip)) {
        EXPECT_FALSE(tip.contains(kTag)) << where << ": " << tip.toStdString();
    }
    QToolTip::hideText();
}

} // namespace

class PlainTextTest : public WindowTest {
protected:
    /// Every text of the small study is the trap.
    StudyState markedUp()
    {
        StudyState state = smallStudy();
        const std::string text = trap(folder).toStdString();
        for (ScenarioEntry& e : state.entries) {
            Scenario s = *e.scenario;
            s.name = text + std::to_string(e.id);
            s.note = text;
            s.model.name = text;
            s.cluster.gpu.name = text;
            e.scenario = std::make_shared<const Scenario>(s);
        }
        return state;
    }
};

TEST_F(PlainTextTest, AStudyWhoseEveryStringIsMarkupLoadsNothing)
{
    auto window = smallWindow();
    window->workspace().study().reset(markedUp(), 2);
    window->editor().setExpanded(u"model"_s, true);
    window->editor().setExpanded(u"cluster"_s, true);
    window->showBanner(trap(folder));
    settle(*window);
    for (Page* page : window->pages().pages()) {
        window->pages().showPage(page->id());
        settlePage(*window);
        expectPlain(*window, qPrintable(page->id()));
        window->pages().setTableShown(true);
        expectPlain(*window, "table");
        window->pages().setTableShown(false);
    }
    for (auto* view : window->findChildren<QAbstractItemView*>())
        for (int row = 0; row < std::min(view->model() ? view->model()->rowCount() : 0, 3); ++row)
            for (int column = 0; column < view->model()->columnCount(); ++column)
                expectPlainTip(*view->viewport(), view->visualRect(view->model()->index(row, column)).center(), "cell");
    for (QWidget* widget : window->findChildren<QWidget*>())
        if (widget->isVisible())
            expectPlainTip(*widget, widget->rect().center(), qPrintable(widget->objectName()));
}

TEST_F(PlainTextTest, DialogsAndImportsLoadNothing)
{
    auto window = smallWindow();
    window->workspace().study().reset(markedUp(), 2);
    settle(*window);
    const QString text = trap(folder);
    window->workspace().study().rename(2, text + u"again"_s);
    showDifferences(window->workspace(), theme, window.get());
    showHistory(window->workspace(), theme, window.get());
    window->workspace().study().setArchived(2, true);
    showArchived(window->workspace(), theme, window.get());
    const QByteArray config =
        u"{\"model_type\":\"%1\",\"hidden_size\":4096,\"num_hidden_layers\":16,\"num_attention_heads\":32,"
        "\"vocab_size\":32000,\"intermediate_size\":11008,\"_name_or_path\":\"%1\"}"_s.arg(QString(text).replace(u'"', u'\''))
            .toUtf8();
    const QString name = u"<img src='x'>.json"_s;
    showImport(window->workspace(), theme, previewImport(name, config, smallScenario("base")), name, window.get());
    showImport(window->workspace(), theme, previewImport(name, text.toUtf8(), smallScenario("base")), name, window.get());
    QTest::qWait(50);
    int seen = 0;
    for (QDialog* dialog : window->findChildren<QDialog*>()) {
        ++seen;
        expectPlain(*dialog, qPrintable(dialog->windowTitle()));
        dialog->close();
    }
    EXPECT_GE(seen, 5);
}

TEST(PlainText, ATipKeepsWhatItIsGivenAndEscapesMarkup)
{
    EXPECT_EQ(plainTip(u"1.3 < 2 and 3 > 2"_s), u"1.3 < 2 and 3 > 2"_s);
    const QString tip = plainTip(u"<img src='file:///dev/zero'>"_s);
    EXPECT_FALSE(tip.contains(u"<img"_s));
    EXPECT_TRUE(tip.contains(u"&lt;img"_s));
}

} // namespace prism::ui::test
