// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/slopes.h"

#include "ui/look/format.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kMaxSlopes = 10;
constexpr int kColumns = 3;

double changeAt(const MetricChange& change, int column)
{
    const Estimate* metrics[kColumns] = {&change.p50, &change.p95, &change.p99};
    return metrics[column]->value;
}

double largestAt(const SensitivityRow& row, int column)
{
    const double removed = changeAt(row.spreadRemoved, column), doubled = changeAt(row.spreadDoubled, column);
    return std::abs(removed) > std::abs(doubled) ? removed : doubled;
}

} // namespace

SlopeData slopesOf(const SensitivityTable& table, int series)
{
    SlopeData data;
    data.series = series;
    data.columns = {u"p50"_s, u"p95"_s, u"p99"_s};
    for (const SensitivityRow& source : table.rows) {
        if (!source.varies)
            continue;
        SlopeRow row;
        row.id = QString::fromStdString(source.id);
        row.label = source.label.empty() || source.label == source.id ? format::kernelClass(row.id) : QString::fromStdString(source.label);
        row.parameter = QString::fromStdString(parameterOf(source));
        for (int column = 0; column < kColumns; ++column)
            row.cells.push_back({largestAt(source, column), 0});
        data.rows.push_back(std::move(row));
    }
    const auto byWeight = [&](int column) {
        std::stable_sort(data.rows.begin(), data.rows.end(), [column](const SlopeRow& a, const SlopeRow& b) {
            const auto c = static_cast<std::size_t>(column);
            return std::abs(a.cells[c].change) > std::abs(b.cells[c].change);
        });
    };
    byWeight(1);
    if (data.rows.size() > kMaxSlopes)
        data.rows.resize(kMaxSlopes);
    for (const int column : {0, 2, 1}) { // p95 last: its order stays
        byWeight(column);
        for (std::size_t i = 0; i < data.rows.size(); ++i)
            data.rows[i].cells[static_cast<std::size_t>(column)].rank = static_cast<int>(i) + 1;
    }
    return data;
}

} // namespace prism::ui
