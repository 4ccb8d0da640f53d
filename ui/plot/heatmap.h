// SPDX-License-Identifier: GPL-3.0-or-later
// Heat map of a ratio over places: rows are replicas, columns are stages, the scale starts at 1.00 and stays. A map of few
// rows has its cells below once more, as points with their intervals along the colour scale. heatmap.cpp holds what it shows
// and reads, heatmappaint.cpp how it looks, heatmapinput.cpp pointer, keys and dragging.
#pragma once

#include "ui/plot/plotbase.h"

class QMimeData;

namespace prism::ui {

struct HeatCell {
    bool present = false; ///< false: hatched grey
    double ratio = 1, halfWidth = 0;
    QString detail;    ///< "p95 9.41 s", for the reading
    QString name = {}; ///< "node-0417"; empty = its column and row are its name
};

/// cells[row * columns + column].
struct HeatData {
    QStringList rowLabels, columnLabels;
    QString rowTitle, columnTitle;
    std::vector<HeatCell> cells;
    int rows = 0, columns = 0;
    int best = -1, worst = -1; ///< cells; -1 = none
    QList<int> marked;         ///< dashed: where the slow nodes are now
    QString markedLabel;       ///< "node-0417 now"
    QString missingLabel = QStringLiteral("not evaluated");
    int brushedRow = -1, brushedColumn = -1;
};

/// Cells are dragged onto with the left button; a marked cell can be dragged elsewhere. GUI thread.
class HeatMap final : public PlotBase {
    Q_OBJECT
public:
    explicit HeatMap(const Theme& theme, QWidget* parent = nullptr);
    void setData(const HeatData& data);
    void setBrushed(int row, int column);

    [[nodiscard]] const HeatData& data() const { return m_data; }
    /// End of the colour scale: 1.10, or the first of 1.2, 1.5, 2, 3, 5, 10, ... that holds all cells that were shown when it was fitted:
    /// to the first ones, then only when the user wants it (F, the same scale for all). Cells above it have its last colour and are
    /// counted.
    [[nodiscard]] double scaleEnd() const { return m_scaleEnd; }
    void fitScale();              ///< to the cells that are shown now
    void setScaleEnd(double end); ///< as it was kept; above 1
    [[nodiscard]] int cellsAboveScale() const;
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] int itemCount() const override { return static_cast<int>(m_data.cells.size()); }
    [[nodiscard]] QStringList itemReading(int item) const override;
    [[nodiscard]] std::optional<Reach> ownReach() const override;

    /// The node that a drag carries; -1 = a node that is to become slow.
    [[nodiscard]] static QMimeData* mimeDataOf(int node);

Q_SIGNALS:
    /// A slow node from outside the map was dropped onto a cell.
    void nodeDropped(int node, int item);
    /// A marked cell was dragged onto another one.
    void itemMoved(int from, int to);
    /// Double click, Enter or Space on a cell.
    void itemActivated(int item);

protected:
    void paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const override;
    [[nodiscard]] int itemAt(const Canvas& canvas, const QRectF& area, QPointF point) const override;
    [[nodiscard]] QPointF itemAnchor(const Canvas& canvas, const QRectF& area, int item) const override;
    [[nodiscard]] int neighbour(int item, int key) const override;
    [[nodiscard]] double minPlotHeight() const override;
    void reachChanged() override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    struct Layout {
        QRectF grid;
        double cellWidth = 0, cellHeight = 0;
        QRectF bar;
        QRectF profile; ///< under a map of few rows: the cells as points next to the colour bar; empty = none
        [[nodiscard]] QRectF cell(int item, int columns) const;
    };
    [[nodiscard]] Layout layout(const Canvas& canvas, const QRectF& area) const;
    void paintCells(Canvas& canvas, const Layout& at) const;
    void paintLabels(Canvas& canvas, const QRectF& area, const Layout& at) const;
    void paintScale(Canvas& canvas, const Layout& at) const;
    void paintProfile(Canvas& canvas, const Layout& at) const;
    void paintKey(Canvas& canvas, const QRectF& area, const Layout& at, bool interactive) const;
    /// Paints the brushed, outlined, focused and dragged cells.
    void paintMarks(Canvas& canvas, const Layout& at, bool interactive) const;
    [[nodiscard]] const HeatCell& cellOf(int item) const { return m_data.cells[static_cast<std::size_t>(item)]; }
    [[nodiscard]] double position(double ratio) const;
    [[nodiscard]] bool hasProfile() const; ///< of a few rows whose cells have intervals
    [[nodiscard]] QPointF profilePoint(const Layout& at, int item, double ratio) const;

    [[nodiscard]] double neededEnd() const;

    HeatData m_data;
    double m_scaleEnd = 1.1;
    bool m_fitted = false; ///< to the first cells, or as it was kept
    int m_dragged = -1;
    QPointF m_dragAt;
};

} // namespace prism::ui
