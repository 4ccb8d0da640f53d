// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/scenariopanel.h"

#include "core/insight/metrics/metrictable.h"
#include "ui/theme/plaintext.h"
#include "ui/workspace/scenariofilter.h"
#include "ui/theme/barelayout.h"

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
#include <QStyledItemDelegate>
#include <QToolButton>

#include <QScrollBar>

#include <algorithm>
#include <array>
#include <numeric>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

constexpr double kBandStrength = 0.4; // of a scenario's colour over the panel

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
        p->fillRect(r, look[current || (option.state & QStyle::State_Selected) ? Role::selection : Role::panel]);
        if (current && index.column() == 0)
            p->fillRect(QRect(r.topLeft(), QSize(look.px(metric::brushBar), r.height())), look[Role::accent]);
        p->fillRect(QRect(r.left(), r.bottom(), r.width(), 1), look[Role::separator]);
        switch (index.column()) {
        case ScenarioTableModel::sampleColumn: {
            const auto s = index.data(kSampleRole).value<SeriesSample>();
            if (s.hidden) // an outline where the line would be
                p->setOpacity(metric::staleOpacity);
            drawSeriesSample(*p, QRectF(r).adjusted(look.px(8), 0, -look.px(4), 0), look, s.colour, s.baseline, s.hidden);
            p->setOpacity(1);
            break;
        }
        case ScenarioTableModel::rangeColumn:
            if (const QVariant range = index.data(ScenarioTableModel::kRangeRole); range.isValid())
                paintRange(*p, QRectF(r).adjusted(look.px(8), 0, -look.px(8), 0), range.value<PercentileRange>());
            else
                paintText(*p, r, index, current);
            break;
        case ScenarioTableModel::p95Column:
        case ScenarioTableModel::changeColumn:
            paintMetric(*p, QRectF(r).adjusted(0, 0, -look.px(6), 0), index.data(kRunsRole).value<TextRuns>());
            break;
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
    /// A band from p50 to p99 with a dot at p50 and a tick at p95.
    void paintRange(QPainter& p, const QRectF& rect, const PercentileRange& s) const
    {
        const Look& look = m_theme.look();
        const auto at = [&](double seconds) { return rect.left() + rect.width() * (seconds - s.low) / (s.high - s.low); };
        const double y = rect.center().y(), band = look.pxF(3), tick = look.pxF(6);
        const QColor colour = s.stale ? look[Role::textTertiary] : look.palette().seriesAt(s.colour);
        p.setPen(look.pen(Role::separator));
        p.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y));
        p.fillRect(QRectF(QPointF(at(s.p50), y - band), QPointF(at(s.p99), y + band)), blend(colour, look[Role::panel], kBandStrength));
        p.fillRect(QRectF(at(s.p95) - look.pxF(1), y - tick, look.pxF(2), 2 * tick), colour);
        p.setPen(Qt::NoPen);
        p.setBrush(colour);
        p.drawEllipse(QPointF(at(s.p50), y), look.pxF(3.5), look.pxF(3.5));
    }
    void paintMetric(QPainter& p, const QRectF& rect, const TextRuns& runs) const
    {
        const Look& look = m_theme.look();
        double width = 0;
        for (const TextRun& run : runs)
            width += QFontMetricsF(look.font(run.type)).horizontalAdvance(run.text);
        drawRuns(p, rect.adjusted(std::max(0.0, rect.width() - width), 0, 0, 0), runs, look);
    }
    void paintText(QPainter& p, const QRect& cell, const QModelIndex& index, bool current) const
    {
        const Look& look = m_theme.look();
        const QRectF rect = QRectF(cell).adjusted(look.px(4), 0, -look.px(2), 0);
        const bool name = index.column() == ScenarioTableModel::nameColumn;
        const bool invalid = index.column() == ScenarioTableModel::rangeColumn && index.data(Qt::UserRole).toBool();
        const Type type = name ? (current ? Type::bodyStrong : Type::body) : invalid ? Type::smallStrong : Type::small;
        QString text = index.data().toString();
        if (index.column() == ScenarioTableModel::noteColumn && index.data(Qt::EditRole).toString().isEmpty()) {
            const QStringList forms = index.data(Qt::UserRole).toStringList();
            const QFontMetricsF metrics(look.font(type));
            const auto fits = [&](const QString& form) { return metrics.horizontalAdvance(form) <= rect.width(); };
            const auto form = std::find_if(forms.begin(), forms.end(), fits);
            text = form == forms.end() ? QString() : *form; // the tip has it
        }
        QStringList all;
        for (int row = 0; name && row < index.model()->rowCount(); ++row)
            all << index.siblingAtRow(row).data().toString();
        if (name)
            text = elidedAmong(text, all, QFontMetricsF(look.font(type)), rect.width());
        drawRuns(p, rect, {{text, type, invalid ? Role::error : name ? Role::text : Role::textSecondary}}, look);
    }
    const Theme& m_theme;
};

} // namespace

ScenarioPanel::ScenarioPanel(Workspace& workspace, ChangesCache& cache, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_workspace(workspace),
      m_theme(theme)
{
    auto* layout = bareLayout<QVBoxLayout>(this, 0);
    auto* head = new QWidget;
    auto* headLayout = new QHBoxLayout(head);
    headLayout->setContentsMargins(theme.px(16), theme.px(2), theme.px(12), theme.px(2));
    headLayout->setSpacing(theme.px(2));
    auto* title = plainLabel(tr("Scenarios"), {}, u"strong"_s);
    headLayout->addWidget(title, 1);
    m_buttons = new QWidget;
    (void)bareLayout<QHBoxLayout>(m_buttons, 0);
    headLayout->addWidget(m_buttons);
    layout->addWidget(head);
    layout->addWidget(makeFilter());
    m_model = new ScenarioTableModel(workspace, cache, this);
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
        if (at.column() != ScenarioTableModel::sampleColumn)
            m_workspace.study().setCurrent(m_model->idAt(at.row()));
    });
    connect(m_model, &QAbstractItemModel::layoutChanged, this, &ScenarioPanel::applyFilter);
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
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    m_table->setDragDropMode(QAbstractItemView::InternalMove);
    m_table->setDragDropOverwriteMode(false);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->horizontalHeader()->setHighlightSections(false);
    QHeaderView& header = *m_table->horizontalHeader();
    header.setMinimumSectionSize(8);
    header.setSortIndicator(-1, Qt::AscendingOrder);
    header.setSortIndicatorClearable(true); // the third click brings the order of the study
    header.setToolTip(tr("Click to sort; right-click to see where a figure comes from"));
    header.setContextMenuPolicy(Qt::CustomContextMenu);
    connect(&header, &QWidget::customContextMenuRequested, this, &ScenarioPanel::showHeaderMenu);
    m_table->setSortingEnabled(true);
    m_table->setColumnHidden(ScenarioTableModel::noteColumn, true);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_table->viewport()->installEventFilter(this);
    m_table->installEventFilter(this);
}

void ScenarioPanel::showHeaderMenu(const QPoint& at)
{
    QMenu menu;
    for (const QString& key : ScenarioTableModel::metricKeys(m_table->horizontalHeader()->logicalIndexAt(at)))
        if (const prism::Metric* metric = metricOf(key.toStdString()))
            menu.addAction(tr("Explain %1").arg(QString::fromStdString(std::string(metric->label))), this,
                           [this, key] { Q_EMIT metricRequested(key); });
    QAction* notes = menu.addAction(tr("Notes"), this, [this] { setNotesShown(!hasNotes()); });
    notes->setCheckable(true);
    notes->setChecked(hasNotes());
    menu.exec(m_table->horizontalHeader()->mapToGlobal(at));
}

void ScenarioPanel::setNotesShown(bool shown)
{
    m_table->setHorizontalScrollBarPolicy(shown ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
    m_table->setColumnHidden(ScenarioTableModel::noteColumn, !shown);
    layoutTable();
}

bool ScenarioPanel::hasNotes() const
{
    return !m_table->isColumnHidden(ScenarioTableModel::noteColumn);
}

void ScenarioPanel::stepCurrent(int by)
{
    QList<int> ids;
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (const int id = m_model->idAt(row); !m_table->isRowHidden(row) || id == m_workspace.study().currentId())
            ids << id;
    if (const qsizetype at = ids.indexOf(m_workspace.study().currentId()); at >= 0)
        m_workspace.study().setCurrent(ids[(at + by + ids.size()) % ids.size()]);
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
    m_hits = plainLabel({}, u"secondary"_s, u"small"_s);
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
    const bool invalid = !filter.problem().isEmpty();
    m_hits->setText(invalid ? filter.problem() : tr("%1 of %2 shown").arg(shownCount()).arg(m_model->rowCount()));
    restyle(m_hits, "role", invalid ? u"error"_s : u"secondary"_s);
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
        if (mouse->button() == Qt::LeftButton && at.isValid() && at.column() == ScenarioTableModel::sampleColumn) {
            const bool isShown = at.data(Qt::CheckStateRole).toInt() == Qt::Checked;
            m_workspace.study().setVisible(m_model->idAt(at.row()), !isShown);
            return true;
        }
    }
    if (watched == m_table && event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space) {
        const QModelIndex at = m_table->currentIndex();
        if (at.isValid()) {
            const bool isShown = at.siblingAtColumn(ScenarioTableModel::sampleColumn).data(Qt::CheckStateRole).toInt() == Qt::Checked;
            m_workspace.study().setVisible(selectedIds(), !isShown);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

std::vector<int> ScenarioPanel::selectedIds() const
{
    std::vector<int> ids;
    const int current = m_workspace.study().currentId();
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (!m_table->isRowHidden(row) && m_table->selectionModel()->isRowSelected(row))
            ids.push_back(m_model->idAt(row));
    return std::ranges::count(ids, current) > 0 ? ids : std::vector<int>{current};
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

void ScenarioPanel::layoutTable()
{
    constexpr int kSample = 38, kName = 80, kRange = 72, kWideRange = 160, kNote = 96; // at scale 1; name and range grow with the room
    using Model = ScenarioTableModel;
    const bool isCompared = m_workspace.study().baseline() != nullptr;
    m_table->setColumnHidden(Model::changeColumn, !isCompared);
    const QFontMetrics cell(m_theme.font(Type::smallStrong)), head(m_theme.font(Type::tick));
    const auto widest = [&](std::initializer_list<QString> texts, int column) {
        int width = head.horizontalAdvance(m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()) + m_theme.px(16);
        for (const QString& text : texts)
            width = std::max(width, cell.horizontalAdvance(text) + m_theme.px(8));
        return width;
    };
    std::array<int, Model::kColumns> widths{m_theme.px(kSample),
                                            m_theme.px(kName),
                                            std::max(m_theme.px(kRange), widest({tr("Does not fit"), tr("Computing")}, Model::rangeColumn)),
                                            widest({u"88.8 ms"_s}, Model::p95Column),
                                            isCompared ? widest({tr("baseline"), tr("no change"), u"−88.8 %"_s}, Model::changeColumn) : 0,
                                            hasNotes() ? m_theme.px(kNote) : 0};
    const int rest = std::max(0, m_table->viewport()->width() - std::accumulate(widths.begin(), widths.end(), 0));
    const int toRange = std::min(rest / 3, std::max(0, m_theme.px(kWideRange) - widths[Model::rangeColumn]));
    widths[Model::rangeColumn] += toRange;
    widths[Model::nameColumn] += rest - toRange;
    for (int column = 0; column < Model::kColumns; ++column)
        if (widths[static_cast<std::size_t>(column)] > 0)
            m_table->setColumnWidth(column, widths[static_cast<std::size_t>(column)]);
    if (QHeaderView& rows = *m_table->verticalHeader(); rows.defaultSectionSize() != m_theme.px(metric::row))
        rows.setDefaultSectionSize(m_theme.px(metric::row));
    const int shown = shownCount(), rows = std::clamp(shown, 1, 8);
    m_table->setVerticalScrollBarPolicy(shown > 8 ? Qt::ScrollBarAlwaysOn : Qt::ScrollBarAlwaysOff);
    m_table->setFixedHeight(m_table->horizontalHeader()->sizeHint().height() + rows * m_theme.px(metric::row)
                            + 2 * m_theme.px(metric::focusRing) + (hasNotes() ? m_table->horizontalScrollBar()->sizeHint().height() : 0));
}

} // namespace prism::ui
