// SPDX-License-Identifier: GPL-3.0-or-later
// Common parts of all painted charts: card, title, footer, items that can be pointed at, read, brushed and exported.
// plotbase.cpp holds texts, items and keys, plotbasepaint.cpp the texts around the plot.
#pragma once

#include "ui/look/tabledata.h"
#include "ui/plot/canvas.h"
#include "ui/theme/theme.h"

#include <QWidget>

#include <optional>

namespace prism::ui {

/// Texts around a chart.
struct ChartText {
    QString title, subtitle;
    QStringList footer; ///< unit, n, seed, method, interval; one string per line
    QString footerRight;
    QString hint; ///< what pointer and keys do here; on screen only
    bool operator==(const ChartText&) const = default;
};

/// One entry of a legend.
struct LegendEntry {
    enum class Mark { box, outlinedBox, dashedBox, hatchedBox, line };
    Mark mark = Mark::box;
    QColor fill, second; ///< second: another half of the box (chunks), or the outline
    Hatch hatch;
    QString label;
    QList<qreal> dash; ///< of a line, as its curve is drawn; empty = solid
};

/// The values that an axis holds at least.
struct Reach {
    double low = 0, high = 0;
    bool operator==(const Reach&) const = default;
};

/// A card with one chart. Derived charts hold data, return where their items are and paint themselves inside `area`; painting is
/// const and depends on the size and look that it is given, so that exports and screens share it. GUI thread only.
class PlotBase : public QWidget {
    Q_OBJECT
public:
    explicit PlotBase(const Theme& theme, QWidget* parent = nullptr);

    // change it
    void setText(const ChartText& text);
    /// Dims the chart and shows the reason next to the title ("computing"); an empty note ends it.
    void setStale(const QString& note);
    /// Shown in place of data ("No slow nodes are marked"); empty = none.
    void setMessage(const QString& message);
    /// The axis of values holds this too, so that several scenarios share one scale; nothing = the chart's own data alone.
    void setReach(const std::optional<Reach>& reach);
    /// The item that the keyboard reads; -1 = none.
    void setFocusItem(int item);

    // look at it
    [[nodiscard]] const ChartText& chartText() const { return m_text; }
    [[nodiscard]] const QString& staleNote() const { return m_stale; }
    [[nodiscard]] const QString& message() const { return m_message; }
    [[nodiscard]] const std::optional<Reach>& reach() const { return m_reach; }
    /// Axis range that the data of this chart needs; nothing without data.
    [[nodiscard]] virtual std::optional<Reach> ownReach() const { return std::nullopt; }
    [[nodiscard]] int focusItem() const { return m_focusItem; }
    [[nodiscard]] int hoverItem() const { return m_hoverItem; }
    [[nodiscard]] const Look& look() const { return m_theme.look(); }
    [[nodiscard]] const Theme& theme() const { return m_theme; }
    /// Title, footer and the least plot; a smaller card would cut its numbers.
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] virtual TableData asTable() const = 0;
    [[nodiscard]] virtual int itemCount() const { return 0; }
    /// The reading of one item: first a name, then values, one per line.
    [[nodiscard]] virtual QStringList itemReading(int item) const;
    /// Position of an item in the widget.
    [[nodiscard]] QPointF placeOf(int item) const;
    /// Everything on one line, for screen readers.
    [[nodiscard]] QString itemText(int item) const;
    /// The chart's table in words, a line for each row, for screen readers; what is beyond kMaxReadRows is counted.
    [[nodiscard]] QString tableText() const;
    static constexpr qsizetype kMaxReadRows = 50;
    /// Paints the whole card, without hover, focus and brushing marks unless `interactive`.
    void paintChart(QPainter& painter, const QRectF& card, const Look& look, bool interactive = false) const;

Q_SIGNALS:
    /// The user picked an item with click, Enter or Space.
    void itemPicked(int item);
    void focusItemChanged(int item);

protected:
    /// Paints the chart inside the area between title and footer.
    virtual void paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const = 0;
    /// Item under a point of the widget; -1 = none.
    [[nodiscard]] virtual int itemAt(const Canvas& canvas, const QRectF& area, QPointF at) const;
    [[nodiscard]] int itemUnder(QPointF point) const; ///< of the widget as it is on screen
    /// Position of the read-out of an item.
    [[nodiscard]] virtual QPointF itemAnchor(const Canvas& canvas, const QRectF& area, int item) const;
    /// The item that an arrow key goes to.
    [[nodiscard]] virtual int neighbour(int item, int key) const;
    [[nodiscard]] virtual bool showsReadout() const { return true; }
    [[nodiscard]] virtual QList<LegendEntry> legend(const Look& look) const;
    /// The legend next to the title, if it fits there, instead of under the subtitle.
    [[nodiscard]] virtual bool legendNextToTitle() const { return false; }

    /// Calls `use` with a canvas that only measures and the plot area of the widget.
    template <class Use>
    [[nodiscard]] auto measured(Use use) const
    {
        QImage device(1, 1, QImage::Format_ARGB32_Premultiplied);
        prepareDevice(device);
        QPainter painter(&device);
        Canvas canvas(painter, look());
        return use(canvas, plotArea(canvas, rect()));
    }
    /// Height that the plot needs to be read, without what is written around it; at scale 1.
    [[nodiscard]] virtual double minPlotHeight() const { return 100; }
    [[nodiscard]] QRectF plotArea(const Canvas& canvas, const QRectF& card) const;

    void paintEvent(QPaintEvent* /*event*/) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

    virtual void reachChanged() { update(); }
    void dataChanged(); ///< derived charts call it after new data

private:
    static void prepareDevice(QImage& device);
    struct Frame;
    [[nodiscard]] Frame frame(const Canvas& canvas, const QRectF& card) const;
    /// Title, note and subtitle from `top` down; returns where they end, as placeLegend does.
    double placeTitle(const Canvas& canvas, double top, Frame& at) const;
    double placeLegend(const Canvas& canvas, double top, Frame& at) const;
    static void paintLegend(Canvas& canvas, const Frame& at);
    void paintText(Canvas& canvas, const QRectF& card, const Frame& at, bool interactive) const;

    const Theme& m_theme;
    ChartText m_text;
    QString m_stale, m_message;
    std::optional<Reach> m_reach;
    int m_focusItem = -1, m_hoverItem = -1;
    std::optional<QPointF> m_hover;
};

/// A chart that shows one value of this type. `Base` is PlotBase, or a class that derives from it.
template <class Data, class Base = PlotBase>
class DataChart : public Base {
public:
    using Base::Base;
    void setData(const Data& data)
    {
        m_data = data;
        this->dataChanged();
    }
    [[nodiscard]] const Data& data() const { return m_data; }

protected:
    Data m_data;
};

/// A number for a table: C locale, round-trip digits; empty when not finite.
[[nodiscard]] QString tableNumber(double value);

} // namespace prism::ui
