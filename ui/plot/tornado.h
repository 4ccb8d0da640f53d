// SPDX-License-Identifier: GPL-3.0-or-later
// Ranked causes: the effect of each cause's spread on one statistic, largest on top: bars around the present value, values in columns.
#pragma once

#include "ui/look/format.h"
#include "ui/plot/rowchart.h"

class QPushButton;

namespace prism::ui {

/// One end of a row: change of the statistic, half-width of its interval, and the input's value there ("CV 12.0 %").
struct TornadoEnd {
    double change = 0, halfWidth = 0;
    QString input;
};

struct TornadoRow {
    QString id, label, input; ///< input: the present spread ("CV 2 %")
    TornadoEnd removed, doubled;
    bool nonMonotonic = false;
    QString missing;       ///< not empty: outside the calibrated range; names the missing measurement (hatched)
    bool isOthers = false; ///< no cause: one line about the causes that are not shown
    QString parameter;     ///< that decides the spread; empty = none
    QString tried;         ///< what the row's button does ("CV 2 % to 1 %"); empty = it has none
};

/// Changes are in seconds, or shares in [-1, 1] when `isShare`.
struct TornadoData {
    QString metric;   ///< "p95"
    QString baseline; ///< "baseline p95 9.30 s"
    bool isShare = false;
    int series = 0; ///< colour of the scenario
    std::vector<TornadoRow> rows;
};

class TornadoChart final : public RowChart {
    Q_OBJECT
public:
    using RowChart::RowChart;
    void setData(const TornadoData& data);
    void setButtonsEnabled(bool enabled); ///< of the rows; off while the result is not the current one

    [[nodiscard]] const TornadoData& data() const { return m_data; }
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] int itemCount() const override { return static_cast<int>(m_data.rows.size()); }
    [[nodiscard]] QStringList itemReading(int item) const override;
    [[nodiscard]] std::optional<Reach> ownReach() const override;
    /// A change in the unit of the largest, with the digits that its interval leaves; where none was found, the interval alone: "± 0.3 ms".
    [[nodiscard]] QString endText(const TornadoEnd& end) const;

Q_SIGNALS:
    void halfRequested(int item); ///< the button of a row: try half of its spread

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const override;
    [[nodiscard]] QList<LegendEntry> legend(const Look& look) const override;

    [[nodiscard]] Layout layout(const Canvas& canvas, const QRectF& area) const override;
    [[nodiscard]] double headHeight() const override { return 28; }
    [[nodiscard]] double minRow() const override { return 36; }
    [[nodiscard]] const QString& rowId(int item) const override { return m_data.rows[static_cast<std::size_t>(item)].id; }

private:
    /// Right edges of the columns of values.
    struct Columns {
        double removed = 0, doubled = 0, interval = 0;
    };
    [[nodiscard]] Columns columns(const Canvas& canvas, const QRectF& area) const;
    void paintRow(Canvas& canvas, const QRectF& area, const Layout& at, int item) const;
    void paintBars(Canvas& canvas, const Layout& at, int item) const;
    void paintMetrics(Canvas& canvas, const Layout& at, const Columns& columns, int item) const;
    void makeButtons();
    void placeButtons();
    [[nodiscard]] QString intervalText(const TornadoEnd& end) const;
    [[nodiscard]] format::DeltaScale scaleOfChanges() const; ///< of the largest
    void paintChangeAxis(Canvas& canvas, const Layout& at) const;
    [[nodiscard]] QString changeText(double change) const;

    TornadoData m_data;
    QList<QPushButton*> m_buttons; ///< one for each row that can be tried
    double m_buttonWidth = 0;      ///< with the gap before it; 0 = no row has one
};

} // namespace prism::ui
