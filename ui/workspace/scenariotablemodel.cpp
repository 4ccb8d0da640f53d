// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/scenariotablemodel.h"

#include "core/engine/verdict.h"
#include "ui/look/figures.h"
#include "ui/look/format.h"
#include "ui/model/lineage.h"
#include "ui/workspace/changedrows.h"

#include <QIODevice>
#include <QMimeData>

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

ScenarioTableModel::ScenarioTableModel(Workspace& workspace, QObject* parent) : QAbstractTableModel(parent), m_workspace(workspace)
{
    connect(&workspace, &Workspace::contextChanged, this, &ScenarioTableModel::refresh);
    refresh();
}

void ScenarioTableModel::refresh()
{
    std::vector<ScenarioEntry> rows;
    for (const ScenarioEntry& e : m_workspace.study().state().entries)
        if (!e.archived)
            rows.push_back(e);
    const bool sameIds = std::equal(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(),
                                    [](const ScenarioEntry& a, const ScenarioEntry& b) { return a.id == b.id; });
    if (!sameIds)
        beginResetModel();
    m_rows = std::move(rows);
    std::vector<RowState> states = rowStates();
    QList<int> changed;
    for (std::size_t i = 0; i < states.size(); ++i) {
        const RowState* old = sameIds ? &m_states[i] : nullptr;
        if (old && states[i].hasEqualTexts(*old)) {
            states[i].word = old->word;
            continue;
        }
        states[i].word = statusWord(states[i]);
        changed << static_cast<int>(i);
    }
    m_states = std::move(states);
    m_statusWords.clear();
    for (const RowState& s : m_states)
        if (m_statusWords.isEmpty() || (s.word != m_statusWords.back() && !m_statusWords.contains(s.word)))
            m_statusWords << s.word;
    if (!sameIds)
        endResetModel();
    else
        emitChangedRows(*this, changed);
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
        s.wrong = (r.invalid ? errorCount(r.diagnostics) : 0) + static_cast<int>(m_workspace.fieldProblems(e.id).size());
    }
    return states;
}

bool ScenarioTableModel::RowState::hasEqualTexts(const RowState& o) const
{
    return scenario == o.scenario && shown == o.shown && parent == o.parent && colour == o.colour && visible == o.visible
           && baseline == o.baseline && current == o.current && computing == o.computing && cancelled == o.cancelled && invalid == o.invalid
           && wrong == o.wrong;
}

QString ScenarioTableModel::statusWord(const RowState& s)
{
    if (s.wrong > 0)
        return tr("%1 to fix").arg(s.wrong);
    if (s.computing)
        return tr("Computing");
    if (s.cancelled)
        return tr("Stopped");
    if (!s.shown)
        return tr("Waiting");
    return isPossible(*s.shown) ? tr("Computed") : tr("Does not fit");
}

bool ScenarioTableModel::isWrong(int id) const
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
    switch (index.column()) {
    case visibleColumn:
        if (role == Qt::CheckStateRole)
            return e.visible ? Qt::Checked : Qt::Unchecked;
        if (role == Qt::AccessibleTextRole)
            return e.visible ? tr("%1 is shown").arg(name) : tr("%1 is hidden").arg(name);
        if (role == Qt::ToolTipRole)
            return tr("Show in charts");
        return {};
    case sampleColumn:
        if (role == kSampleRole)
            return QVariant::fromValue(SeriesSample{e.colour, baseline, !e.visible});
        if (role == Qt::AccessibleTextRole)
            return tr("Curve %1").arg(e.colour + 1);
        return {};
    case pinColumn:
        if (role == Qt::UserRole)
            return baseline;
        if (role == Qt::AccessibleTextRole || role == Qt::ToolTipRole)
            return baseline ? tr("Baseline of this study") : tr("Pin as baseline");
        return {};
    case nameColumn:
        if (role == Qt::DisplayRole || role == Qt::EditRole || role == Qt::AccessibleTextRole)
            return name;
        if (role == Qt::ToolTipRole)
            return tip(e);
        return {};
    case statusColumn:
        if (role == Qt::DisplayRole || role == Qt::AccessibleTextRole)
            return m_states[static_cast<std::size_t>(index.row())].word;
        if (role == Qt::UserRole)
            return isWrong(e.id);
        if (role == Qt::ToolTipRole) {
            QStringList lines;
            for (const Diagnostic& d : m_workspace.bridge().result(e.id).diagnostics)
                lines << format::sentence(QString::fromStdString(d.message));
            return lines.join(u'\n');
        }
        return {};
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
    if (index.column() == visibleColumn && role == Qt::CheckStateRole)
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
        return {Qt::AlignLeft | Qt::AlignVCenter};
    if (role == Qt::DisplayRole)
        switch (section) {
        case nameColumn:
            return tr("Name");
        case statusColumn:
            return tr("Status");
        case noteColumn:
            return tr("Note");
        default:
            return QString();
        }
    if (role == Qt::AccessibleTextRole)
        switch (section) {
        case visibleColumn:
            return tr("Shown");
        case sampleColumn:
            return tr("Curve");
        case pinColumn:
            return tr("Baseline");
        default:
            return {};
        }
    return {};
}

Qt::ItemFlags ScenarioTableModel::flags(const QModelIndex& index) const
{
    if (!index.isValid())
        return Qt::ItemIsDropEnabled;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled;
    if (index.column() == visibleColumn)
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
    if (indexes.isEmpty())
        return nullptr;
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

} // namespace prism::ui
