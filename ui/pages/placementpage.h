// SPDX-License-Identifier: GPL-3.0-or-later
// The Placement page: where a slow node hurts, the slow nodes that are marked or measured, and where they should go.
#pragma once

#include "ui/pages/insightpage.h"
#include "ui/pages/levelled.h"
#include "ui/pages/placementgroups.h"
#include "ui/plot/gaincurve.h"

class QLabel;
class QLineEdit;
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
    [[nodiscard]] QString answer() const override;
    [[nodiscard]] TableData asTable() const override { return m_map->asTable(); }
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;

    [[nodiscard]] HeatMap& map() { return *m_map; }
    [[nodiscard]] GainCurve& gains() { return *m_gains; }
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
    void makeFinder();
    void connectMap();
    void connectNodes();
    void ask();
    void refresh() override;
    void statesShown() override;
    void refreshPlaces();
    void groupPlaces(const PlacementMap* map, const HeatData& data); ///< into m_shown, unless it holds just that
    void refreshGains();
    void typeFactor(const QString& text);
    void moveNode(int fromCell, int toCell);
    void placeNode(int node, int cell); ///< -1 = the node of the cell becomes slow
    void applyAdvice();
    void findNodes();     ///< whose names hold the words in the field; counts them
    void showNextFound(); ///< chooses the cell of the next of them
    [[nodiscard]] double probeFactor() const { return 1 + m_percent / 100; }
    [[nodiscard]] const PlacementMap* shownMap() const; ///< replicas in order, on the headline's level
    [[nodiscard]] PlaceGrouping grouping() const;

    double m_percent = 15;
    HostNames m_hosts;
    QuantityEdit* m_factor;
    SegmentedControl *m_metric, *m_grouping;
    HeatMap* m_map;
    PlacesCard* m_best;
    SlowNodesCard* m_nodes;
    GainCurve* m_gains;
    GroupedPlaces m_shown; ///< what the map shows
    QString m_placed;      ///< of which answer, percentile, cells and scenario that is
    QPushButton* m_add;
    QLineEdit* m_find;
    QLabel* m_hits;
    std::vector<int> m_found; ///< nodes, ascending
    int m_shownNode = -1;     ///< the one of them that was shown last
    bool m_searching = false;
    mutable Levelled<PlacementMap> m_levelled;
    Levelled<PlacementResult> m_levelledSearch;
    InsightSlot<PlacementMap> m_places{QStringLiteral("placement")};
    InsightSlot<SlowNodesReport> m_slow{QStringLiteral("slownodes")};
    InsightSlot<PlacementResult> m_search{QStringLiteral("placementsearch")};
};

} // namespace prism::ui
