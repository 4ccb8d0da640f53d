// SPDX-License-Identifier: GPL-3.0-or-later
// One slow node in the list of the Placement page: its place, its slowdown factor to edit, the gain of a repair; and the
// handle by which a slow node is dragged onto the map.
#pragma once

#include "ui/theme/theme.h"

#include <QFrame>
#include <QToolButton>

namespace prism::ui {

constexpr double kMaxSlowPercent = 9900; ///< SlowProbe accepts factors up to 100

/// Dragged onto a cell of the heat map. Node -1 = a node that is to become slow.
class NodeHandle final : public QToolButton {
    Q_OBJECT
public:
    NodeHandle(const Theme& theme, int node, QWidget* parent = nullptr);

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    int m_node;
    QPoint m_pressed;
};

struct SlowNodeText {
    int node = 0;
    QString name; ///< of the node
    double factor = 1;
    QString place, gain, interval;
    bool gainInWords = false;            ///< no number: no difference was found
    Role gainRole = Role::textSecondary; ///< a colour only where the interval excludes 0
};

class SlowNodeRow final : public QFrame {
    Q_OBJECT
public:
    SlowNodeRow(const Theme& theme, const SlowNodeText& text, QWidget* parent = nullptr);

Q_SIGNALS:
    /// The factor that was typed or 1 to remove; comes when typing ends, since the row is made again after each change.
    void factorChosen(int node, double factor);
};

} // namespace prism::ui
