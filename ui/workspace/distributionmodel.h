// SPDX-License-Identifier: GPL-3.0-or-later
// The table under the distribution: every scenario with its percentiles, changes, P(step > limit) and P(faster).
#pragma once

#include "ui/workspace/changescache.h"
#include "ui/look/figures.h"
#include "ui/look/tabledata.h"
#include "ui/workspace/context.h"

#include <QAbstractTableModel>

namespace prism::ui {

class DistributionModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { nameColumn, p50Column, p95Column, p99Column, exceedColumn, fasterColumn, kColumns };

    DistributionModel(ChangesCache& cache, QObject* parent) : QAbstractTableModel(parent), m_cache(cache) {}

    void setContext(const PageContext& context, double limitSeconds, bool within);
    [[nodiscard]] int idAt(int row) const { return m_scenarios.value(row).id; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(m_scenarios.size());
    }
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : kColumns; }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    /// The same figures as plain numbers.
    [[nodiscard]] TableData table() const;

private:
    [[nodiscard]] FigureRuns runs(const ShownScenario& scenario, int column) const;
    ChangesCache& m_cache;
    QList<ShownScenario> m_scenarios;
    QList<QList<FigureRuns>> m_runs;
    SnapshotPtr m_baseline;
    double m_limit = 0;
    bool m_within = false;
};

} // namespace prism::ui
