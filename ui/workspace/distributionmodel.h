// SPDX-License-Identifier: GPL-3.0-or-later
// The table under the distribution: every scenario with its percentiles, changes, P(step > limit) and P(faster).
#pragma once

#include "ui/workspace/changescache.h"
#include "ui/look/figures.h"
#include "ui/look/format.h"
#include "ui/look/tabledata.h"
#include "ui/workspace/context.h"

#include <QAbstractTableModel>

#include <array>
#include <map>

namespace prism::ui {

/// Which measurements are missing where a result lies outside of the calibrated range, in sentences; empty = none.
[[nodiscard]] QString outsideCalibration(const Snapshot& snapshot);

class DistributionModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { nameColumn, p50Column, p95Column, p99Column, exceedColumn, fasterColumn, kColumns };

    DistributionModel(ChangesCache& cache, QObject* parent) : QAbstractTableModel(parent), m_cache(cache) {}

    void setContext(const PageContext& context, const StepLimits& limits, bool within);
    [[nodiscard]] int idAt(int row) const { return m_scenarios.value(row).id; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(m_scenarios.size());
    }
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : kColumns; }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    /// Key of a column's figure in the table of figures; empty = none.
    [[nodiscard]] static QString figureKey(int column);
    /// The same figures as plain numbers.
    [[nodiscard]] TableData table() const;

    /// One unit for all times of a column, and one for all changes and intervals in it.
    struct ColumnUnits {
        format::TimeUnit value, change;
    };

private:
    [[nodiscard]] FigureRuns runs(const ShownScenario& scenario, int column) const;
    /// The texts of a row, made when it is first looked at: comparing every pair of a thousand scenarios takes seconds.
    [[nodiscard]] const QList<FigureRuns>& rowRuns(int row) const;
    /// Tells the rows that are other than before.
    void emitChanges(const QList<ShownScenario>& before, bool othersStay);
    [[nodiscard]] ColumnUnits unitsOf(int column) const;                ///< of p50, p95, p99
    [[nodiscard]] bool isCompared(const ShownScenario& scenario) const; ///< with the baseline: not that itself nor what equals it
    /// Against the baseline; null where nothing is compared.
    [[nodiscard]] const HeadlineChanges* changesOf(const ShownScenario& scenario) const;
    ChangesCache& m_cache;
    QList<ShownScenario> m_scenarios;
    /// The texts of rows that were looked at, by the scenario that they are of: an edit of one leaves the others.
    struct RowRuns {
        ShownScenario of;
        QList<FigureRuns> runs;
    };
    mutable std::map<int, RowRuns> m_runs;
    std::array<ColumnUnits, 3> m_units; ///< of p50, p95, p99
    SnapshotPtr m_baseline;
    StepLimits m_limits;
    bool m_within = false;
};

} // namespace prism::ui
