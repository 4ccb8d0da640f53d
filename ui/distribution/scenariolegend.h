// SPDX-License-Identifier: GPL-3.0-or-later
// The legend over the curves: line samples with the names of the scenarios.
#pragma once

#include "ui/pages/page.h"
#include "ui/theme/theme.h"

namespace prism::ui {

/// Right-aligned on one line; where that is too short, further lines beneath, and what does not fit on four is counted.
class ScenarioLegend final : public QWidget {
    Q_OBJECT
public:
    ScenarioLegend(const Theme& theme, QWidget* parent);
    void setScenarios(const QList<ShownScenario>& scenarios);
    void setWhole(bool whole); ///< as many lines as it takes, for a picture

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] int wholeHeight(int width) const; ///< with every scenario

protected:
    void paintEvent(QPaintEvent* /*event*/) override;

private:
    struct Entry {
        const ShownScenario* scenario = nullptr; ///< null: the count of those left out
        QString text;
        double width = 0;
    };
    using Line = QList<Entry>;
    [[nodiscard]] QList<Line> lines(double width, bool whole) const;

    const Theme& m_theme;
    QList<ShownScenario> m_scenarios;
    bool m_whole = false;
};

} // namespace prism::ui
