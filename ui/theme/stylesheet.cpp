// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme.h"

#include <QRegularExpression>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kCellPadding = 8; // of a heading, at scale 1
constexpr int kItemMargin = 3;     // pixels that Qt keeps next to the words of an item, but not of a heading

/// @role@ is a colour, #n# a size in pixels at scale 1, ~type~ a font size, %variant% "light" or "dark", %cell% the padding that puts a
/// cell's words under those of its heading.
constexpr QStringView kSheet = uR"(
QWidget { color: @text@; }
QMainWindow, QDialog, QDockWidget { background: @window@; }
QToolTip { background: @text@; color: @panel@; border: 0; padding: #4# #8#; font-size: ~small~; }

QFrame[card="true"] { background: @panel@; border: 1px solid @separator@; border-radius: #4#; }
QFrame[drop="true"] { background: @noteFill@; border: 2px dashed @controlOutline@; border-radius: #4#; }
QFrame[separator="true"] { background: @separator@; border: 0; max-height: 1px; min-height: 1px; }
QFrame[surface="window"] { background: @window@; border: 0; }
QFrame[surface="panel"] { background: @panel@; border: 0; }
QFrame[surface="header"] { background: @header@; border: 0; }
QFrame[message="error"] { background: @errorFill@; border: 0; border-left: #3# solid @error@; }
QFrame[message="warning"] { background: @warningFill@; border: 0; border-left: #3# solid @warning@; }
QFrame[message="note"] { background: @noteFill@; border: 0; border-left: #3# solid @accent@; }

QLabel { background: transparent; }
QLabel:disabled { color: @textTertiary@; }
QLabel[role="secondary"] { color: @textSecondary@; }
QLabel[role="tertiary"] { color: @textTertiary@; }
QLabel[role="good"] { color: @good@; }
QLabel[role="bad"] { color: @bad@; }
QLabel[role="error"] { color: @error@; }
QLabel[role="warning"] { color: @warning@; }
QLabel[role="accent"] { color: @accent@; }
QLabel[type="headline"] { font-size: ~headline~; font-weight: 600; }
QLabel[type="value"] { font-size: ~value~; font-weight: 600; }
QLabel[type="title"] { font-size: ~title~; font-weight: 600; }
QLabel[type="strong"] { font-weight: 600; }
QLabel[type="small"] { font-size: ~small~; }
QLabel[type="smallStrong"] { font-size: ~small~; font-weight: 600; }
QLabel[type="tick"] { font-size: ~tick~; }

QPushButton { background: @panel@; border: 1px solid @controlOutline@; border-radius: #4#; min-height: #22#; padding: 0 #10#; }
QPushButton:hover { background: @header@; border-color: @textTertiary@; }
QPushButton:pressed, QPushButton:checked { background: @selection@; border-color: @accent@; }
QPushButton:focus { border: #2# solid @accent@; padding: 0 #9#; min-height: #20#; }
QPushButton:disabled { color: @textTertiary@; border-color: @separator@; background: @window@; }
QPushButton[kind~="primary"] { background: @accent@; color: @onAccent@; border-color: @accent@; font-weight: 600; }
QPushButton[kind~="primary"]:hover { background: @accentHover@; }
QPushButton[kind~="primary"]:focus { border: #2# solid @text@; }
QPushButton[kind~="primary"]:disabled { background: @derivedField@; color: @textTertiary@; border-color: @separator@; }
QPushButton[kind~="closing"] { min-height: #30#; padding: 0 #16#; }
QPushButton[kind~="closing"]:focus { min-height: #28#; padding: 0 #15#; }
QPushButton[kind~="danger"] { color: @error@; border-color: @error@; }
QPushButton[kind~="link"] { color: @accent@; border: 0; background: transparent; padding: 0 #2#; text-align: left; }
QPushButton[type="small"] { font-size: ~small~; }
QPushButton[kind~="problem"] { color: @error@; }
QPushButton[kind~="link"]:hover { text-decoration: underline; }
QPushButton[kind~="link"]:focus { border: #2# solid @accent@; }
QPushButton[kind~="plain"]:disabled { color: @textSecondary@; border: 0; background: transparent; padding: 0 #2#; }
QPushButton[kind~="flat"] { border-color: transparent; background: transparent; }
QPushButton[kind~="flat"]:hover { background: @derivedField@; }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: #4#; padding: #3#; }
QToolButton[kind="small"] { padding: #1#; }
QToolButton:hover { background: @derivedField@; }
QToolButton:pressed, QToolButton:checked { background: @selection@; }
QToolButton:focus { border: #2# solid @accent@; padding: #2#; }
QToolButton:disabled { color: @textTertiary@; }
QToolButton::menu-indicator { image: none; }

QLineEdit, QComboBox, QAbstractSpinBox { background: @field@; border: 1px solid @controlOutline@; border-radius: #4#; min-height: #22#;
  padding: 0 #8#; selection-background-color: @selection@; selection-color: @text@; }
QLineEdit:focus, QComboBox:focus, QAbstractSpinBox:focus { border: #2# solid @accent@; padding: 0 #7#; min-height: #20#; }
QLineEdit:disabled, QLineEdit[readOnly="true"], QLineEdit[state="derived"] { background: @derivedField@; border-color: @derivedField@; color: @textSecondary@; }
QComboBox:disabled, QAbstractSpinBox:disabled { background: @derivedField@; border-color: @derivedField@; color: @textTertiary@; }
QLineEdit[state="error"], QComboBox[state="error"], QAbstractSpinBox[state="error"] { background: @errorFill@; border: #2# solid @error@; padding: 0 #7#; min-height: #20#; }
QLineEdit[state="warning"], QComboBox[state="warning"] { background: @warningFill@; border: #2# solid @warning@; padding: 0 #7#; min-height: #20#; }
QComboBox::drop-down { border: 0; width: #24#; }
QComboBox::down-arrow { image: url(:/icons/chevron-down-%variant%.svg); width: #14#; height: #14#; }
QComboBox QAbstractItemView { background: @panel@; border: 1px solid @controlOutline@; outline: 0; padding: #4# 0; selection-background-color: @selection@; selection-color: @text@; }
QComboBox QAbstractItemView::item { min-height: #24#; padding: 0 #8#; }
QPlainTextEdit, QTextEdit, QTextBrowser { background: @field@; border: 1px solid @controlOutline@; border-radius: #4#; selection-background-color: @selection@; selection-color: @text@; }
QPlainTextEdit:focus, QTextEdit:focus { border: #2# solid @accent@; }

QCheckBox, QRadioButton { spacing: #8#; background: transparent; }
QCheckBox[row="true"] { min-height: #24#; }
QCheckBox::indicator, QAbstractItemView::indicator { width: #14#; height: #14#; border: 1px solid @controlOutline@; border-radius: #3#; background: @field@; }
QCheckBox::indicator:checked, QAbstractItemView::indicator:checked { background: @accent@; border-color: @accent@; image: url(:/icons/check-%variant%.svg); }
QCheckBox::indicator:focus { border: #2# solid @accent@; width: #12#; height: #12#; }
QCheckBox:focus { color: @accent@; }
QCheckBox::indicator:disabled { background: @derivedField@; border-color: @separator@; }
QRadioButton::indicator { width: #14#; height: #14#; border: #1# solid @controlOutline@; border-radius: #7.5#; background: @field@; }
QRadioButton::indicator:checked { border: #5# solid @accent@; width: #6#; height: #6#; }
QRadioButton:focus { color: @accent@; }

QTabWidget::pane { border: 0; border-top: 1px solid @separator@; background: @window@; }
QTabBar { background: transparent; qproperty-drawBase: 0; }

QAbstractItemView { background: @panel@; alternate-background-color: @header@; border: 0; outline: 0; selection-background-color: @selection@; selection-color: @text@; gridline-color: @separator@; }
QTableView::item, QTreeView::item, QListView::item { min-height: #26#; padding: 0 %cell%; border: 0; border-bottom: 1px solid @separator@; }
QAbstractItemView::item:selected { background: @selection@; color: @text@; }
QDialog QTableView, QDialog QTreeView, QDialog QListView { border: #2# solid @panel@; }
QTableView:focus, QTreeView:focus, QListView:focus { border: #2# solid @accent@; }
QHeaderView { background: @header@; border: 0; }
QHeaderView::section { background: @header@; color: @textSecondary@; border: 0; border-bottom: 1px solid @separator@; padding: 0 #8#; min-height: #26#; font-size: ~tick~; }
QTableCornerButton::section { background: @header@; border: 0; border-bottom: 1px solid @separator@; }
QTreeView::branch { background: transparent; }
QTreeView::branch:has-children:closed { image: url(:/icons/chevron-right-%variant%.svg); }
QTreeView::branch:has-children:open { image: url(:/icons/chevron-down-%variant%.svg); }

QDockWidget { titlebar-close-icon: none; titlebar-normal-icon: none; border: 0; }
QDockWidget::title { background: @window@; padding: #6# #16#; text-align: left; }
QMainWindow::separator { background: @separator@; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: @accent@; }
QSplitter::handle { background: transparent; }
QSplitter::handle:hover { background: @separator@; }

QMenuBar { background: @window@; border: 0; }
QMenuBar::item { background: transparent; padding: #6# #10#; border-radius: #4#; }
QMenuBar::item:selected { background: @selection@; }
QMenu { background: @panel@; border: 1px solid @controlOutline@; padding: #4# 0; }
QMenu::item { padding: #5# #28# #5# #24#; }
QMenu::item:selected { background: @selection@; color: @text@; }
QMenu::item:disabled { color: @textTertiary@; }
QMenu::separator { height: 1px; background: @separator@; margin: #4# 0; }
QStatusBar { background: @window@; border-top: 1px solid @separator@; }
QStatusBar::item { border: 0; }
QProgressBar { background: @separator@; border: 0; border-radius: #2#; min-height: #4#; max-height: #4#; }
QProgressBar::chunk { background: @accent@; border-radius: #2#; }
QScrollArea { background: transparent; border: 0; }
QScrollBar { background: transparent; }
QScrollBar:vertical { width: #12#; margin: 0; }
QScrollBar:horizontal { height: #12#; margin: 0; }
QScrollBar::handle { background: @scrollHandle@; border-radius: #3#; margin: #3#; min-height: #28#; min-width: #28#; }
QScrollBar::handle:hover { background: @controlOutline@; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: none; }
)";

struct Named {
    QStringView name;
    Role role;
};
constexpr Named kRoles[] = {
    {u"window", Role::window},
    {u"panel", Role::panel},
    {u"header", Role::header},
    {u"field", Role::field},
    {u"derivedField", Role::derivedField},
    {u"separator", Role::separator},
    {u"controlOutline", Role::controlOutline},
    {u"selection", Role::selection},
    {u"text", Role::text},
    {u"textSecondary", Role::textSecondary},
    {u"textTertiary", Role::textTertiary},
    {u"accent", Role::accent},
    {u"onAccent", Role::onAccent},
    {u"good", Role::good},
    {u"bad", Role::bad},
    {u"error", Role::error},
    {u"errorFill", Role::errorFill},
    {u"warning", Role::warning},
    {u"warningFill", Role::warningFill},
    {u"noteFill", Role::noteFill},
};

struct NamedType {
    QStringView name;
    Type type;
};
constexpr NamedType kTypes[] = {
    {u"headline", Type::headline}, {u"value", Type::value}, {u"title", Type::title}, {u"small", Type::small}, {u"tick", Type::tick}};

} // namespace

QString styleSheet(const Look& look)
{
    QString sheet = kSheet.toString();
    for (const Named& named : kRoles)
        sheet.replace(u'@' + named.name.toString() + u'@', look[named.role].name());
    sheet.replace(u"@accentHover@"_s, blend(look[Role::text], look[Role::accent], 0.15).name());
    sheet.replace(u"@scrollHandle@"_s, blend(look[Role::controlOutline], look[Role::window], 0.5).name());
    for (const NamedType& named : kTypes)
        sheet.replace(u'~' + named.name.toString() + u'~', QString::number(look.font(named.type).pointSizeF()) + u"pt"_s);
    sheet.replace(u"%cell%"_s, QString::number(look.px(kCellPadding) - kItemMargin) + u"px"_s);
    sheet.replace(u"%variant%"_s, look.isDark() ? u"dark"_s : u"light"_s);
    static const QRegularExpression size(u"#(\\d{1,2}(?:\\.5)?)#"_s);
    QString scaled;
    qsizetype from = 0;
    for (auto match = size.match(sheet); match.hasMatch(); match = size.match(sheet, from)) {
        scaled += sheet.mid(from, match.capturedStart() - from) + QString::number(look.px(match.captured(1).toDouble())) + u"px"_s;
        from = match.capturedEnd();
    }
    return scaled + sheet.mid(from);
}

} // namespace prism::ui
