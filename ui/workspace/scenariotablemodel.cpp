// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/scenariotablemodel.h"

#include "core/engine/verdict.h"
#include "ui/model/lineage.h"

#include <QIODevice>
#include <QMimeData>
#include <algorithm>
#include <unordered_map>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

constexpr auto kRowMime = "application/x-prism-scenario-row"_L1;

int errorCount(const Diagnostics& diagnostics)
{
    return static_cast<int>(
        std::count_if(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& d) { return d.severity == Severity::error; }));
}

} // namespace

ScenarioTableModel::ScenarioTableModel(Workspace& workspace, ChangesCache& cache, QObject* parent)
    : QAbstractTableModel(parent),
      m_workspace(workspace),
      m_cache(cache)
{
    connect(&workspace, &Workspace::contextChanged, this, &ScenarioTableModel::refresh);
    refresh();
}

std::vector<ScenarioEntry> ScenarioTableModel::sortedRows() const
{
    std::vector<ScenarioEntry> rows;
    for (const ScenarioEntry& e : m_workspace.study().state().entries)
        if (!e.archived)
            rows.push_back(e);
    if (m_sortColumn < 0)
        return rows;
    std::unordered_map<int, double> seconds; // without a result: last in either order
    for (const ScenarioEntry& e : rows) {
        const SnapshotPtr shown = m_workspace.bridge().result(e.id).shown;
        const bool last = m_sortOrder == Qt::AscendingOrder;
        seconds[e.id] = !shown ? (last ? 1e300 : -1e300) : m_sortColumn == rangeColumn ? shown->across.p50 : shown->across.p95;
    }
    const auto isBefore = [&](const ScenarioEntry& a, const ScenarioEntry& b) {
        if (m_sortColumn == sampleColumn)
            return a.visible && !b.visible;
        if (m_sortColumn == nameColumn || m_sortColumn == noteColumn) {
            const auto text = [this](const ScenarioEntry& e) {
                return QString::fromStdString(m_sortColumn == nameColumn ? e.scenario->name : e.scenario->note);
            };
            return text(a).localeAwareCompare(text(b)) < 0;
        }
        return seconds[a.id] < seconds[b.id]; // all changes are against one baseline
    };
    std::stable_sort(rows.begin(), rows.end(), [&](const ScenarioEntry& a, const ScenarioEntry& b) {
        return m_sortOrder == Qt::AscendingOrder ? isBefore(a, b) : isBefore(b, a);
    });
    return rows;
}

void ScenarioTableModel::sort(int column, Qt::SortOrder order)
{
    m_sortColumn = column;
    m_sortOrder = order;
    refresh();
}

void ScenarioTableModel::refresh()
{
    std::vector<ScenarioEntry> rows = sortedRows();
    const auto hasSameId = [](const ScenarioEntry& a, const ScenarioEntry& b) { return a.id == b.id; };
    const bool sameOrder = std::equal(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(), hasSameId);
    const bool moved = !sameOrder && std::is_permutation(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(), hasSameId);
    if (sameOrder)
        return adopt(std::move(rows));
    if (!moved) {
        beginResetModel();
        adopt(std::move(rows));
        return endResetModel();
    }
    Q_EMIT layoutAboutToBeChanged(); // a name that is being edited stays open
    const QModelIndexList before = persistentIndexList();
    QList<int> ids;
    for (const QModelIndex& index : before)
        ids << idAt(index.row());
    adopt(std::move(rows));
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i)
        after << index(rowOf(ids[i]), before[i].column());
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged();
}

void ScenarioTableModel::adopt(std::vector<ScenarioEntry> rows)
{
    const bool sameIds = std::equal(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(),
                                    [](const ScenarioEntry& a, const ScenarioEntry& b) { return a.id == b.id; });
    m_rows = std::move(rows);
    std::vector<RowState> states = rowStates();
    QList<int> changed;
    const Shared shared = sharedState();
    for (std::size_t i = 0; i < states.size(); ++i)
        if (!sameIds || !(shared == m_shared) || !states[i].hasEqualTexts(m_states[i]))
            changed << static_cast<int>(i);
    m_states = std::move(states);
    m_shared = shared;
    std::erase_if(m_compared, [this](const auto& kept) { return rowOf(kept.first) < 0; });
    if (sameIds)
        emitChangedRows(*this, changed);
}

ScenarioTableModel::Shared ScenarioTableModel::sharedState() const
{
    const StudyState& study = m_workspace.study().state();
    Shared shared;
    shared.limits = {study.lowerLimitSeconds, study.limitSeconds};
    for (const ScenarioEntry& e : m_rows) {
        const SnapshotPtr shown = m_workspace.bridge().result(e.id).shown;
        if (e.id == study.baselineId)
            shared.baseline = shown;
        if (!shown || !isPossible(*shown))
            continue;
        shared.low = shared.high > 0 ? std::min(shared.low, shown->across.p50) : shown->across.p50;
        shared.high = std::max(shared.high, shown->across.p99);
        shared.longest = std::max(shared.longest, shown->across.p95);
    }
    return shared;
}

int ScenarioTableModel::idAt(int row) const
{
    return row >= 0 && row < static_cast<int>(m_rows.size()) ? m_rows[static_cast<std::size_t>(row)].id : -1;
}

int ScenarioTableModel::rowOf(int id) const
{
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        if (m_rows[i].id == id)
            return static_cast<int>(i);
    return -1;
}

int ScenarioTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}
int ScenarioTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : kColumns;
}

std::vector<ScenarioTableModel::RowState> ScenarioTableModel::rowStates() const
{
    const StudyModel& study = m_workspace.study();
    std::unordered_map<int, const ScenarioEntry*> entries;
    for (const ScenarioEntry& e : study.state().entries)
        entries[e.id] = &e;
    std::vector<RowState> states(m_rows.size());
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const ScenarioEntry& e = m_rows[i];
        const ScenarioResult& r = m_workspace.bridge().result(e.id);
        RowState& s = states[i];
        s.scenario = e.scenario;
        s.shown = r.shown;
        if (const auto parent = entries.find(e.parentId); parent != entries.end())
            s.parent = parent->second->scenario;
        s.colour = e.colour;
        s.visible = e.visible;
        s.baseline = e.id == study.state().baselineId;
        s.current = e.id == study.currentId();
        s.computing = r.computing;
        s.cancelled = r.cancelled;
        s.invalid = r.invalid;
        s.errors = (r.invalid ? errorCount(r.diagnostics) : 0) + static_cast<int>(m_workspace.fieldProblems(e.id).size());
    }
    return states;
}

bool ScenarioTableModel::RowState::hasEqualTexts(const RowState& o) const
{
    return scenario == o.scenario && shown == o.shown && parent == o.parent && colour == o.colour && visible == o.visible
           && baseline == o.baseline && current == o.current && computing == o.computing && cancelled == o.cancelled && invalid == o.invalid
           && errors == o.errors;
}

QString ScenarioTableModel::statusWord(const RowState& s)
{
    if (s.errors > 0)
        return tr("%1 to fix").arg(s.errors);
    if (s.computing)
        return tr("Computing");
    if (s.cancelled)
        return tr("Stopped");
    if (!s.shown)
        return tr("Waiting");
    return isPossible(*s.shown) ? QString() : tr("Does not fit");
}

bool ScenarioTableModel::isInvalid(int id) const
{
    const ScenarioResult& r = m_workspace.bridge().result(id);
    return r.invalid || !m_workspace.fieldProblems(id).isEmpty() || (r.shown && !isPossible(*r.shown));
}

QVariant ScenarioTableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const ScenarioEntry& e = m_rows[static_cast<std::size_t>(index.row())];
    const bool baseline = e.id == m_workspace.study().state().baselineId;
    const QString name = QString::fromStdString(e.scenario->name);
    if (role == kBrushedRole)
        return e.id == m_workspace.study().currentId();
    const auto row = static_cast<std::size_t>(index.row());
    switch (index.column()) {
    case sampleColumn:
        if (role == Qt::CheckStateRole)
            return e.visible ? Qt::Checked : Qt::Unchecked;
        if (role == kSampleRole)
            return QVariant::fromValue(SeriesSample{e.colour, baseline, !e.visible});
        if (role == Qt::AccessibleTextRole)
            return e.visible ? tr("Curve %1").arg(e.colour + 1) : tr("Curve %1, hidden").arg(e.colour + 1);
        if (role == Qt::ToolTipRole)
            return e.visible ? tr("Click to hide it in charts (Space)") : tr("Click to show it in charts (Space)");
        return {};
    case nameColumn:
        if (role == Qt::DisplayRole || role == Qt::EditRole || role == Qt::AccessibleTextRole)
            return name;
        if (role == Qt::ToolTipRole)
            return tip(e);
        return {};
    case rangeColumn:
        return rangeData(row, role);
    case p95Column:
        return p95Data(row, role);
    case changeColumn:
        return changeData(row, role);
    case noteColumn:
        if (role == Qt::EditRole)
            return QString::fromStdString(e.scenario->note);
        if (role == Qt::UserRole)
            return e.scenario->note.empty() ? lineageForms(m_workspace.study().state(), e) : QStringList();
        if (role == Qt::DisplayRole || role == Qt::AccessibleTextRole || role == Qt::ToolTipRole)
            return e.scenario->note.empty() ? lineage(m_workspace.study().state(), e) : QString::fromStdString(e.scenario->note);
        return {};
    default:
        return {};
    }
}

QString ScenarioTableModel::tip(const ScenarioEntry& e) const
{
    QStringList lines{QString::fromStdString(e.scenario->name)};
    for (const QString& more : {QString::fromStdString(e.scenario->note), lineage(m_workspace.study().state(), e)})
        if (!more.isEmpty())
            lines << more;
    return lines.join(u'\n');
}

bool ScenarioTableModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    const int id = idAt(index.row());
    if (id < 0)
        return false;
    StudyModel& study = m_workspace.study();
    if (index.column() == sampleColumn && role == Qt::CheckStateRole)
        study.setVisible(id, value.toInt() == Qt::Checked);
    else if (index.column() == nameColumn && role == Qt::EditRole)
        study.rename(id, value.toString());
    else if (index.column() == noteColumn && role == Qt::EditRole)
        study.setNote(id, value.toString());
    else
        return false;
    return true;
}

QVariant ScenarioTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return {(section == p95Column || section == changeColumn ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter};
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole)
        return {};
    switch (section) {
    case sampleColumn:
        return role == Qt::DisplayRole ? QString() : tr("Curve");
    case nameColumn:
        return tr("Scenario");
    case rangeColumn:
        return tr("p50 to p99");
    case p95Column:
        return u"p95"_s;
    case changeColumn:
        return tr("Δ p95");
    case noteColumn:
        return tr("Note");
    default:
        return {};
    }
}

Qt::ItemFlags ScenarioTableModel::flags(const QModelIndex& index) const
{
    if (!index.isValid())
        return Qt::ItemIsDropEnabled;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (m_sortColumn < 0)
        flags |= Qt::ItemIsDragEnabled;
    if (index.column() == sampleColumn)
        flags |= Qt::ItemIsUserCheckable;
    if (index.column() == nameColumn || index.column() == noteColumn)
        flags |= Qt::ItemIsEditable;
    return flags;
}

QStringList ScenarioTableModel::mimeTypes() const
{
    return {kRowMime};
}

QMimeData* ScenarioTableModel::mimeData(const QModelIndexList& indexes) const
{
    if (indexes.isEmpty() || indexes.front().row() != indexes.back().row())
        return nullptr; // one row is moved at a time
    auto* data = new QMimeData;
    data->setData(kRowMime, QByteArray::number(idAt(indexes.front().row())));
    return data;
}

bool ScenarioTableModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int /*column*/, const QModelIndex& parent)
{
    if (action != Qt::MoveAction || !data->hasFormat(kRowMime))
        return false;
    const int id = data->data(kRowMime).toInt(), from = rowOf(id);
    int to = row >= 0 ? row : parent.isValid() ? parent.row() : rowCount();
    if (from < 0)
        return false;
    if (to > from)
        --to;
    m_workspace.study().move(id, to);
    return false; // the model moved the row itself; the view must not remove one
}

void emitChangedRows(QAbstractTableModel& model, const QList<int>& rows)
{
    constexpr qsizetype kFewRows = 8;
    if (rows.isEmpty())
        return;
    const int columns = model.columnCount();
    if (rows.size() > kFewRows) {
        Q_EMIT model.dataChanged(model.index(rows.front(), 0), model.index(rows.back(), columns - 1));
        return;
    }
    for (const int row : rows)
        for (int column = 0; column < columns; ++column)
            Q_EMIT model.dataChanged(model.index(row, column), model.index(row, column));
}

} // namespace prism::ui
