// SPDX-License-Identifier: GPL-3.0-or-later
// The Placement page: where a slow node hurts, the slow nodes that are marked or measured, and where they should go.
#pragma once

#include "ui/pages/insightpage.h"
#include "ui/pages/placementdata.h"

class QPushButton;

namespace prism::ui {

class PlacesCard;
class QuantityEdit;
class SegmentedControl;
class SlowNodesCard;

class PlacementPage final : public InsightPage {
    Q_OBJECT
public:
    explicit PlacementPage(const Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] QString id() const override { return QStringLiteral("placement"); }
    [[nodiscard]] QString title() const override { return tr("Placement"); }
    [[nodiscard]] TableData asTable() const override { return m_map->asTable(); }
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;

    [[nodiscard]] HeatMap& map() { return *m_map; }
    /// Marks the node in a cell of the map as slow, by the factor in the field: one undo step.
    void addSlowNode(int cell);
    /// Reads measured speeds into the current scenario; what went wrong as a sentence, empty = done.
    QString importSpeeds(const QString& path);
    /// Writes the advised order, or the present one while there is no advice.
    [[nodiscard]] QString writeHostfile(const QString& path) const;

protected:
    void contextChanged() override;
    void selectionChanged() override;

private:
    void makeTools();
    void connectMap();
    void connectNodes();
    void ask();
    void refresh();
    void refreshPlaces();
    void typeFactor(const QString& text);
    void moveNode(int fromCell, int toCell);
    void placeNode(int node, int cell); ///< -1 = the node of the cell becomes slow
    void applyAdvice();
    [[nodiscard]] double probeFactor() const { return 1 + m_percent / 100; }
    [[nodiscard]] const PlacementMap* shownMap() const;
    [[nodiscard]] int nodeIn(int cell) const; ///< -1 = none

    double m_percent = 15;
    std::vector<std::string> m_hosts;
    QuantityEdit* m_factor;
    SegmentedControl* m_figure;
    HeatMap* m_map;
    PlacesCard* m_best;
    SlowNodesCard* m_nodes;
    QPushButton* m_add;
    bool m_searching = false;
    mutable PlacementMap m_ordered;
    mutable QString m_orderedQuestion;
    InsightSlot<PlacementMap> m_places{QStringLiteral("placement")};
    InsightSlot<SlowNodesReport> m_slow{QStringLiteral("slownodes")};
    InsightSlot<PlacementResult> m_search{QStringLiteral("placementsearch")};
};

} // namespace prism::ui
