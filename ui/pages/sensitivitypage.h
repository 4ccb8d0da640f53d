// SPDX-License-Identifier: GPL-3.0-or-later
// The Sensitivity page: what changes a statistic (tornado), and the causes of slow steps (tail attribution).
#pragma once

#include "core/insight/sensitivity/attribution.h"
#include "core/insight/sensitivity/sensitivity.h"
#include "ui/pages/insightpage.h"
#include "ui/pages/levelled.h"
#include "ui/plot/pairedbars.h"
#include "ui/plot/tornado.h"

class QStackedWidget;

namespace prism::ui {

class SegmentedControl;
class SlopeChart;

/// The statistic that the tornado is about.
enum class Metric { p50, p95, p99, mean, exceedance };

/// How a tornado is to look.
struct TornadoForm {
    int series = 0;
    QString missing;       ///< why the bars are outside calibration; empty = they are not
    std::size_t rows = 10; ///< of causes, at most
    bool isWhole = false;  ///< every cause
    QString picked = {};   ///< id of a cause that has a row in any case
};
/// Largest change on top; causes that change less than a thirtieth of what the largest changes are counted in one row.
[[nodiscard]] TornadoData tornadoOf(const SensitivityTable& table, Metric metric, const TornadoForm& form = {});
/// Sorted by falling difference; the rows that differ most are kept, the rest is one row.
enum class AttributionBy { kernelClass, stage, cause };
[[nodiscard]] PairedData pairedOf(const TailAttribution& attribution, AttributionBy by, int series,
                                  const SensitivityTable* labels = nullptr);

class SensitivityPage final : public InsightPage {
    Q_OBJECT
public:
    explicit SensitivityPage(const Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] QString id() const override { return QStringLiteral("sensitivity"); }
    [[nodiscard]] QString title() const override { return tr("Sensitivity"); }
    [[nodiscard]] QString answer() const override;
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] QList<std::pair<QString, QString>> printedNames() const override;
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;

    [[nodiscard]] TornadoChart& tornado() { return *m_tornado; }
    [[nodiscard]] PairedBarChart& bars() { return *m_bars; }
    [[nodiscard]] SlopeChart& slopes() { return *m_slopes; }

protected:
    void contextChanged() override;
    void selectionChanged() override;

private:
    void refresh() override;
    [[nodiscard]] const SensitivityTable* table() const; ///< on the headline's level
    void refreshTornado();
    void refreshBars();
    void statesShown() override;
    void connectCharts();
    void tryHalf(int item); ///< adds a scenario with half the spread of a cause
    void refreshSlopes();
    void showChosen(); ///< the tornado of a statistic, or the ranks at all percentiles
    [[nodiscard]] bool showsSlopes() const;
    void pick(const QString& id);
    /// The limit of P(step > limit): the study's, or the baseline's p95 while none is set; 0 = not known yet.
    [[nodiscard]] double limitSeconds() const;

    SegmentedControl *m_metric, *m_by;
    QStackedWidget* m_left;
    TornadoChart* m_tornado;
    bool m_isWhole = false; ///< every cause is listed
    SlopeChart* m_slopes;
    PairedBarChart* m_bars;
    mutable Levelled<SensitivityTable> m_levelled;
    InsightSlot<SensitivityTable> m_table{QStringLiteral("sensitivity")};
    InsightSlot<TailAttribution> m_tail{QStringLiteral("attribution")};
};

} // namespace prism::ui
