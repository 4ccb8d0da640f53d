// SPDX-License-Identifier: GPL-3.0-or-later
// The scenario table: line, name, p50 to p99, p95, change against the baseline and note of every scenario that is not archived.
#pragma once

#include "ui/look/textruns.h"
#include "ui/workspace/changescache.h"
#include "ui/workspace/workspace.h"

#include <QAbstractTableModel>
#include <QList>
#include <unordered_map>

namespace prism::ui {

/// A scenario's percentiles on a scale from `low` to `high` that all rows share; seconds.
struct PercentileRange {
    double low = 0, p50 = 0, p95 = 0, p99 = 0, high = 0;
    int colour = 0;
    bool stale = false;
};

/// GUI thread only. Edits go through the study's undo stack. The range shows a status in its place where a row is not computed; there
/// Qt::UserRole says whether it is bad. Of a row without a user's note it has the shorter texts for where the scenario comes from.
class ScenarioTableModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { sampleColumn, nameColumn, rangeColumn, p95Column, changeColumn, noteColumn, kColumns };
    static constexpr int kRangeRole = Qt::UserRole + 60; ///< a PercentileRange; none where the status is shown

    ScenarioTableModel(Workspace& workspace, ChangesCache& cache, QObject* parent = nullptr);

    [[nodiscard]] int idAt(int row) const;
    [[nodiscard]] int rowOf(int id) const;
    /// Keys of the metrics in a column, as in the table of metrics; empty = it shows none.
    [[nodiscard]] static QStringList metricKeys(int column);
    /// Orders the rows by a column, also when results change; by none, they are in the order of the study and can be moved.
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    [[nodiscard]] QStringList mimeTypes() const override;
    [[nodiscard]] QMimeData* mimeData(const QModelIndexList& indexes) const override;
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column, const QModelIndex& parent) override;

private:
    /// The content of a row; it is drawn again when this changes.
    struct RowState {
        ScenarioPtr scenario, parent; ///< null = it has no parent
        SnapshotPtr shown;
        int colour = 0, errors = 0;
        bool visible = false, baseline = false, current = false, computing = false, cancelled = false, invalid = false;
        [[nodiscard]] bool hasEqualTexts(const RowState& other) const;
        [[nodiscard]] bool isStale() const { return computing || invalid || errors > 0; }
    };
    /// The change of p95 of one pair, kept while a row shows it: comparing every pair of a thousand scenarios takes seconds.
    struct Compared {
        SnapshotPtr baseline, scenario;
        HeadlineChange p95;
    };
    /// Common data of all rows.
    struct Shared {
        SnapshotPtr baseline;
        StepLimits limits;
        double low = 0, high = 0, longest = 0; ///< of the scale, and the longest p95; seconds
        bool operator==(const Shared&) const = default;
    };
    void refresh();
    void adopt(std::vector<ScenarioEntry> rows);
    [[nodiscard]] std::vector<ScenarioEntry> sortedRows() const;
    [[nodiscard]] Shared sharedState() const;
    [[nodiscard]] QVariant rangeData(std::size_t row, int role) const;
    [[nodiscard]] QVariant p95Data(std::size_t row, int role) const;
    [[nodiscard]] QVariant changeData(std::size_t row, int role) const;
    [[nodiscard]] TextRun changeRun(std::size_t row) const;
    [[nodiscard]] std::vector<RowState> rowStates() const;
    [[nodiscard]] static QString statusWord(const RowState& state);
    [[nodiscard]] QString tip(const ScenarioEntry& entry) const;
    [[nodiscard]] bool isInvalid(int id) const; ///< there is something to repair
    Workspace& m_workspace;
    std::vector<ScenarioEntry> m_rows;
    std::vector<RowState> m_states; ///< of the rows
    Shared m_shared;
    ChangesCache& m_cache;
    mutable std::unordered_map<int, Compared> m_compared; ///< by scenario
    int m_sortColumn = -1;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

/// Cell by cell where the rows are few, as a view draws all that it shows for a range; GUI thread only. Rows ascend.
void emitChangedRows(QAbstractTableModel& model, const QList<int>& rows);

} // namespace prism::ui

Q_DECLARE_METATYPE(prism::ui::PercentileRange)
