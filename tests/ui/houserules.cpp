// SPDX-License-Identifier: GPL-3.0-or-later
// Rules of the look that no single widget keeps: rows of one height, headings over their cells, tools and heads on one line.
#include "tests/ui/paintedtext.h"
#include "tests/ui/window_fixture.h"
#include "ui/distribution/distributionpage.h"
#include "ui/window/actions.h"

#include <QAbstractItemView>
#include <QDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QStyleOptionButton>
#include <QTableWidget>
#include <QTreeWidget>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class HouseRules : public WindowTest {
protected:
    static QPoint middleIn(const QWidget& part, const QWidget& window) { return part.mapTo(&window, part.rect().center()); }
    /// No row of the view is denser than those of the house's tables.
    void checkRows(QAbstractItemView& view, const std::string& where)
    {
        constexpr int kMin = 26; // of tables, at scale 1
        const QAbstractItemModel* model = view.model();
        for (int row = 0; model && row < std::min(model->rowCount(), 5); ++row)
            for (QModelIndex at = model->index(row, 0); at.isValid(); at = model->index(0, 0, at)) {
                const QRect shown = view.visualRect(at);
                if (shown.isEmpty())
                    break;
                ++m_rows;
                EXPECT_GE(shown.height(), kMin) << where << ": " << at.data().toString().toStdString();
            }
    }
    int m_rows = 0;
};

TEST_F(HouseRules, NoRowIsDenserThanThoseOfTables)
{
    auto window = smallWindow();
    StudyModel& study = window->workspace().study();
    const int child = study.duplicate(1);
    ASSERT_TRUE(study.setParameter(child, "training.micro_batch_size", "2").empty());
    study.setArchived(2, true);
    settle(*window);
    for (const char* id : {"scenario.tree", "scenario.applyTo", "scenario.archived", "scenario.differences", "edit.history", "help.keys",
                           "file.new", "tools.palette"}) {
        window->actions().get(QString::fromLatin1(id))->trigger();
        QTest::qWait(20);
        const int before = m_rows;
        for (QDialog* dialog : window->findChildren<QDialog*>()) {
            if (!dialog->isVisible())
                continue;
            for (auto* view : dialog->findChildren<QAbstractItemView*>())
                if (view->isVisible() && !qobject_cast<QHeaderView*>(view))
                    checkRows(*view, id);
            dialog->close();
        }
        EXPECT_GT(m_rows, before) << id;
        QTest::qWait(5);
    }
}

TEST_F(HouseRules, HeadingsAreOverTheWordsOfTheirCells)
{
    QWidget window;
    window.resize(800, 200);
    QTableWidget table(1, 2, &window);
    table.setGeometry(0, 0, 800, 200);
    table.horizontalHeader()->setDefaultSectionSize(300);
    table.setHorizontalHeaderLabels({u"Heading"_s, u"Figure"_s});
    table.horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table.setItem(0, 0, new QTableWidgetItem(u"Words"_s));
    table.setItem(0, 1, new QTableWidgetItem(u"12.5"_s));
    table.item(0, 1)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    table.horizontalHeaderItem(1)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    for (const double scale : {1.0, 1.5, 2.0}) {
        theme.setUiScale(scale);
        window.show();
        QTest::qWait(20);
        std::map<QString, QRectF> at;
        for (const PaintedText& text : paintedTexts(window))
            at[text.text] = text.rect;
        ASSERT_TRUE(at.contains(u"Heading"_s) && at.contains(u"Words"_s) && at.contains(u"Figure"_s) && at.contains(u"12.5"_s)) << scale;
        EXPECT_NEAR(at[u"Heading"_s].left(), at[u"Words"_s].left(), 1) << scale;
        EXPECT_NEAR(at[u"Figure"_s].right(), at[u"12.5"_s].right(), 1) << scale;
    }
    theme.setUiScale(1);
}

TEST_F(HouseRules, ToolsOfAPageAreOnOneLine)
{
    auto window = smallWindow();
    for (Page* page : window->pages().pages()) {
        window->pages().showPage(page->id());
        settlePage(*window);
        QTest::qWait(20);
        ASSERT_NE(page->tools(), nullptr);
        EXPECT_LE(page->tools()->height(), theme.px(metric::toolRow)) << page->id().toStdString() << " needs a second line at 1440 pixels";
    }
    window->resize(1024, 700); // where some need two, what every page has is next to the first
    for (Page* page : window->pages().pages()) {
        window->pages().showPage(page->id());
        settlePage(*window);
        QTest::qWait(20);
        int first = std::numeric_limits<int>::max();
        for (const QWidget* tool : page->tools()->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
            if (tool->isVisible())
                first = std::min(first, middleIn(*tool, *window).y());
        if (first == std::numeric_limits<int>::max())
            continue; // a page without a file has none
        for (const QPushButton* button : window->pages().findChildren<QPushButton*>())
            if (button->isVisible() && button->accessibleName() == u"Export"_s) {
                EXPECT_NEAR(middleIn(*button, *window).y(), first, 2) << page->id().toStdString();
            }
    }
}

TEST_F(HouseRules, HintsInFieldsAreReadable)
{
    auto window = smallWindow();
    for (const bool dark : {false, true, false}) {
        theme.setMode(dark ? Theme::Mode::dark : Theme::Mode::light);
        QTest::qWait(20);
        int hints = 0;
        for (const QLineEdit* field : window->findChildren<QLineEdit*>())
            if (!field->placeholderText().isEmpty() && field->isVisible()) {
                ++hints;
                EXPECT_EQ(field->palette().color(QPalette::PlaceholderText), theme.color(Role::textTertiary))
                    << field->placeholderText().toStdString() << ", dark: " << dark;
            }
        EXPECT_GT(hints, 0);
    }
}

TEST_F(HouseRules, HintsInFieldsOfSeveralLinesAreReadable)
{
    QPlainTextEdit field;
    field.setPlaceholderText(u"6.8 s the contract"_s);
    for (const bool dark : {true, false}) {
        theme.setMode(dark ? Theme::Mode::dark : Theme::Mode::light);
        field.show();
        QTest::qWait(20);
        EXPECT_EQ(field.palette().color(QPalette::PlaceholderText), theme.color(Role::textTertiary)) << "dark: " << dark;
    }
}

TEST_F(HouseRules, RadioButtonsAreRoundAtEveryScale)
{
    for (int percent = 76; percent <= 200; percent += 4) {
        theme.setUiScale(percent / 100.0);
        QRadioButton first(u"How slow?"_s), second(u"Which layout?"_s);
        first.setChecked(true);
        for (QRadioButton* button : {&first, &second}) {
            button->show();
            QTest::qWait(1);
            QStyleOptionButton option;
            option.initFrom(button);
            const QRect circle = button->style()->subElementRect(QStyle::SE_RadioButtonIndicator, &option, button);
            QImage picture(button->size(), QImage::Format_ARGB32_Premultiplied);
            picture.fill(Qt::transparent);
            button->render(&picture, {}, {}, {});
            EXPECT_EQ(picture.pixelColor(circle.topLeft()).alpha(), 0) << "at " << percent << " %, checked: " << button->isChecked();
            EXPECT_GT(picture.pixelColor(circle.left() + circle.width() / 2, circle.top() + 1).alpha(), 0);
        }
    }
}

} // namespace prism::ui::test
