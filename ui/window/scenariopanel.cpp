// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/scenariopanel.h"

#include "ui/distribution/figuredelegate.h"
#include "ui/theme/icons.h"
#include "ui/theme/plaintext.h"
#include "ui/workspace/scenariofilter.h"

#include <QAction>
#include <QApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

/// Draws one row of the scenario table.
class ScenarioDelegate final : public QStyledItemDelegate {
public:
    ScenarioDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

    void paint(QPainter* p, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Look& look = m_theme.look();
        p->save();
        p->setRenderHint(QPainter::Antialiasing);
        const bool current = index.data(kBrushedRole).toBool();
        const QRect r = option.rect;
        p->fillRect(r, look[current ? Role::selection : Role::panel]);
        if (current && index.column() == 0)
            p->fillRect(QRect(r.topLeft(), QSize(look.px(metric::brushBar), r.height())), look[Role::accent]);
        p->fillRect(QRect(r.left(), r.bottom(), r.width(), 1), look[Role::separator]);
        switch (index.column()) {
        case ScenarioTableModel::visibleColumn: {
            const QRectF box = checkRect(r, look);
            const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
            p->setPen(look.pen(on ? Role::accent : Role::controlOutline));
            p->setBrush(look[on ? Role::accent : Role::field]);
            p->drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), look.px(3), look.px(3));
            if (on) {
                p->setPen(look.pen(Role::onAccent, 2));
                p->drawPolyline(QPolygonF{{box.left() + box.width() * 0.25, box.center().y()},
                                          {box.left() + box.width() * 0.43, box.bottom() - box.height() * 0.28},
                                          {box.right() - box.width() * 0.22, box.top() + box.height() * 0.3}});
            }
            break;
        }
        case ScenarioTableModel::sampleColumn: {
            const auto s = index.data(kSampleRole).value<SeriesSample>();
            drawSeriesSample(*p, QRectF(r).adjusted(look.px(2), 0, -look.px(4), 0), look, s.colour, s.baseline, s.hidden);
            break;
        }
        case ScenarioTableModel::pinColumn: {
            const bool baseline = index.data(Qt::UserRole).toBool();
            const int size = look.px(16);
            icon(baseline ? Icon::pin : Icon::pinOutline, look, baseline ? Role::text : Role::textTertiary)
                .paint(p, QRect(r.center().x() - size / 2, r.center().y() - size / 2, size, size));
            break;
        }
        default:
            paintText(*p, r, index, current);
        }
        if (option.state & QStyle::State_HasFocus) {
            p->setPen(look.pen(Role::accent, 1));
            p->setBrush(Qt::NoBrush);
            p->drawRect(QRectF(r).adjusted(0.5, 0.5, -0.5, -1.5));
        }
        p->restore();
    }
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& /*option*/, const QModelIndex& /*index*/) const override
    {
        return {20, m_theme.px(metric::row)};
    }

private:
    void paintText(QPainter& p, const QRect& cell, const QModelIndex& index, bool current) const
    {
        const Look& look = m_theme.look();
        const QRectF rect = QRectF(cell).adjusted(look.px(4), 0, -look.px(2), 0);
        const bool name = index.column() == ScenarioTableModel::nameColumn;
        const bool wrong = index.column() == ScenarioTableModel::statusColumn && index.data(Qt::UserRole).toBool();
        const Type type = name ? (current ? Type::bodyStrong : Type::body) : wrong ? Type::smallStrong : Type::small;
        QString text = index.data().toString();
        if (index.column() == ScenarioTableModel::noteColumn && index.data(Qt::EditRole).toString().isEmpty()) {
            const QStringList forms = index.data(Qt::UserRole).toStringList();
            const QFontMetricsF metrics(look.font(type));
            const auto fits = [&](const QString& form) { return metrics.horizontalAdvance(form) <= rect.width(); };
            const auto form = std::find_if(forms.begin(), forms.end(), fits);
            text = form == forms.end() ? QString() : *form; // the tip says it
        }
        if (name) // names of copies differ at their end
            text = QFontMetricsF(look.font(type)).elidedText(text, Qt::ElideMiddle, rect.width());
        drawRuns(p, rect, {{text, type, wrong ? Role::error : name ? Role::text : Role::textSecondary}}, look);
    }
    static QRectF checkRect(const QRect& r, const Look& look)
    {
        const double size = look.px(14);
        return {r.center().x() - size / 2 + look.px(2), r.center().y() - size / 2, size, size};
    }
    const Theme& m_theme;
};

} // namespace

ScenarioPanel::ScenarioPanel(Workspace& workspace, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_workspace(workspace),
      m_theme(theme)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* head = new QWidget;
    auto* headLayout = new QHBoxLayout(head);
    headLayout->setContentsMargins(theme.px(16), theme.px(2), theme.px(12), theme.px(2));
    headLayout->setSpacing(theme.px(2));
    auto* title = plainLabel(tr("Scenarios"));
    title->setProperty("type", u"strong"_s);
    headLayout->addWidget(title, 1);
    m_buttons = new QWidget;
    auto* buttons = new QHBoxLayout(m_buttons);
    buttons->setContentsMargins(0, 0, 0, 0);
    buttons->setSpacing(0);
    headLayout->addWidget(m_buttons);
    layout->addWidget(head);
    layout->addWidget(makeFilter());
    m_model = new ScenarioTableModel(workspace, this);
    makeTable();
    layout->addWidget(m_table);
    connect(&workspace, &Workspace::contextChanged, this, [this] {
        applyFilter();
        syncSelection();
    });
    connect(m_filter, &QLineEdit::textChanged, this, &ScenarioPanel::applyFilter);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        if (now.isValid() && m_table->hasFocus())
            m_workspace.study().setCurrent(m_model->idAt(now.row()));
    });
    connect(m_table, &QTableView::clicked, this, [this](const QModelIndex& at) {
        const int id = m_model->idAt(at.row());
        if (at.column() == ScenarioTableModel::pinColumn)
            m_workspace.study().setBaseline(id);
        else if (at.column() != ScenarioTableModel::visibleColumn)
            m_workspace.study().setCurrent(id);
    });
    connect(&theme, &Theme::changed, this, &ScenarioPanel::layoutTable);
    applyFilter();
}

void ScenarioPanel::makeTable()
{
    m_table = new QTableView;
    m_table->setObjectName(u"scenarioTable"_s);
    m_table->setAccessibleName(tr("Scenarios"));
    m_table->setModel(m_model);
    m_table->setItemDelegate(new ScenarioDelegate(m_theme, m_table));
    m_table->setShowGrid(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    m_table->setDragDropMode(QAbstractItemView::InternalMove);
    m_table->setDragDropOverwriteMode(false);
    m_table->setTabKeyNavigation(false);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setMinimumSectionSize(8);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_table->viewport()->installEventFilter(this);
    m_table->installEventFilter(this);
}

QWidget* ScenarioPanel::makeFilter()
{
    m_filterRow = new QWidget;
    auto* line = new QVBoxLayout(m_filterRow);
    line->setContentsMargins(m_theme.px(16), 0, m_theme.px(16), m_theme.px(4));
    m_filter = new QLineEdit;
    m_filter->setObjectName(u"scenarioFilter"_s);
    m_filter->setPlaceholderText(tr("Filter: name, p95 < 7 s, tp = 8, fits"));
    m_filter->setAccessibleName(tr("Filter the scenarios"));
    m_filter->setToolTip(tr("Words of name or note, or conditions: p95 < 7 s and tp = 8 and fits"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setAcceptDrops(false);
    m_hits = plainLabel();
    m_hits->setProperty("role", u"secondary"_s);
    m_hits->setProperty("type", u"small"_s);
    m_hits->setWordWrap(true);
    m_hits->setObjectName(u"scenariosFound"_s);
    line->addWidget(m_filter);
    line->addWidget(m_hits);
    return m_filterRow;
}

void ScenarioPanel::setFilter(const QString& text)
{
    m_filter->setText(text);
}

int ScenarioPanel::shownCount() const
{
    int shown = 0;
    for (int row = 0; row < m_model->rowCount(); ++row)
        shown += m_table->isRowHidden(row) ? 0 : 1;
    return shown;
}

void ScenarioPanel::applyFilter()
{
    constexpr int kFromRows = 5; // fewer are seen at once
    const ScenarioFilter filter(m_filter->text());
    m_filterRow->setVisible(m_model->rowCount() >= kFromRows || !filter.isEmpty());
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const ScenarioEntry* entry =
            filter.isEmpty() || !filter.problem().isEmpty() ? nullptr : m_workspace.study().entry(m_model->idAt(row));
        const bool shown = !entry || filter.matches(*entry, m_workspace.bridge().result(entry->id).shown);
        if (m_table->isRowHidden(row) == shown)
            m_table->setRowHidden(row, !shown);
    }
    m_hits->setVisible(!filter.isEmpty());
    const bool wrong = !filter.problem().isEmpty();
    m_hits->setText(wrong ? filter.problem() : tr("%1 of %2 shown").arg(shownCount()).arg(m_model->rowCount()));
    m_hits->setProperty("role", wrong ? u"error"_s : u"secondary"_s);
    restyle(m_hits);
    layoutTable();
}

void ScenarioPanel::setButtons(const QList<QAction*>& actions)
{
    for (QAction* action : actions) {
        auto* button = new QToolButton;
        button->setDefaultAction(action);
        button->setToolButtonStyle(Qt::ToolButtonIconOnly);
        button->setAccessibleName(action->text().remove(u'&'));
        button->setIconSize(QSize(m_theme.px(16), m_theme.px(16)));
        m_buttons->layout()->addWidget(button);
    }
}

void ScenarioPanel::renameCurrent()
{
    const int row = m_model->rowOf(m_workspace.study().currentId());
    const QModelIndex name = m_model->index(row, ScenarioTableModel::nameColumn);
    if (row < 0 || !name.flags().testFlag(Qt::ItemIsEditable) || !m_table->isVisible() || isRenaming())
        return;
    m_table->setFocus();
    m_table->edit(name);
}

bool ScenarioPanel::isRenaming() const
{
    return m_table->viewport()->findChild<QLineEdit*>() != nullptr;
}

bool ScenarioPanel::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_table->viewport() && event->type() == QEvent::Resize)
        layoutTable();
    if (watched == m_table->viewport() && event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const QModelIndex at = m_table->indexAt(mouse->position().toPoint());
        if (mouse->button() == Qt::LeftButton && at.isValid() && at.column() == ScenarioTableModel::visibleColumn) {
            m_model->setData(at, at.data(Qt::CheckStateRole).toInt() == Qt::Checked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
            return true;
        }
    }
    if (watched == m_table && event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space) {
        const QModelIndex at = m_table->currentIndex();
        if (at.isValid()) {
            const QModelIndex box = at.siblingAtColumn(ScenarioTableModel::visibleColumn);
            m_model->setData(box, box.data(Qt::CheckStateRole).toInt() == Qt::Checked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void ScenarioPanel::syncSelection()
{
    const int row = m_model->rowOf(m_workspace.study().currentId());
    if (row >= 0 && !m_table->isRowHidden(row) && m_table->currentIndex().row() != row && !isRenaming()) {
        const QSignalBlocker block(m_table->selectionModel());
        m_table->setCurrentIndex(m_model->index(row, ScenarioTableModel::nameColumn));
        m_table->scrollTo(m_table->currentIndex()); // a new scenario is seen
    }
}

int ScenarioPanel::widthOf(int column) const
{
    constexpr int kWidths[] = {30, 32, 20, 0, 65, 47}; // at scale 1; more where a status or a heading is longer
    const QFontMetrics cell(m_theme.font(Type::smallStrong)), head(m_theme.font(Type::tick));
    int width = m_theme.px(kWidths[column]);
    const QString heading = m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    if (!heading.isEmpty())
        width = std::max(width, head.horizontalAdvance(heading) + m_theme.px(16));
    if (column != ScenarioTableModel::statusColumn)
        return width;
    for (const QString& word : m_model->statusWords())
        width = std::max(width, cell.horizontalAdvance(word) + m_theme.px(8));
    return width;
}

void ScenarioPanel::layoutTable()
{
    const int width = m_table->viewport()->width();
    int fixed = 0;
    for (int c = 0; c < ScenarioTableModel::kColumns; ++c)
        if (c != ScenarioTableModel::nameColumn) {
            const int wide = widthOf(c);
            m_table->setColumnWidth(c, wide);
            fixed += wide;
        }
    m_table->setColumnWidth(ScenarioTableModel::nameColumn, std::max(m_theme.px(80), width - fixed));
    if (QHeaderView& rows = *m_table->verticalHeader(); rows.defaultSectionSize() != m_theme.px(metric::row))
        rows.setDefaultSectionSize(m_theme.px(metric::row));
    const int shown = shownCount(), rows = std::clamp(shown, 1, 8);
    m_table->setVerticalScrollBarPolicy(shown > 8 ? Qt::ScrollBarAlwaysOn : Qt::ScrollBarAlwaysOff);
    m_table->setFixedHeight(m_table->horizontalHeader()->sizeHint().height() + rows * m_theme.px(metric::row)
                            + 2 * m_theme.px(metric::focusRing));
}

} // namespace prism::ui
