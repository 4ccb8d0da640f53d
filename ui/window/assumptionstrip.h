// SPDX-License-Identifier: GPL-3.0-or-later
// Presentation mode: what the current scenario assumes and what the model omits, in plain words next to its metrics.
#pragma once

#include "ui/theme/theme.h"
#include "ui/workspace/workspace.h"

#include <QStringList>
#include <QWidget>

namespace prism::ui {

class Canvas;

/// GUI thread only. The words of the report: whole sentences as its height has lines for, then how many more; the tip has them all.
class AssumptionStrip final : public QWidget {
    Q_OBJECT
public:
    AssumptionStrip(Workspace& workspace, const Theme& theme, QWidget* parent = nullptr);
    /// Takes the sentences of the current scenario, while the window presents.
    void refresh();
    /// The height for `lines` lines, and at least for a whole sentence of either kind.
    [[nodiscard]] int heightFor(int width, int lines) const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    /// Sentences under one heading.
    struct Part {
        QString heading;
        QStringList sentences;
    };
    [[nodiscard]] double headingsWidth(const Canvas& canvas) const;
    [[nodiscard]] static int linesOfFirst(const Canvas& canvas, const Part& part, double width);
    /// The sentences that fit on `lines` lines.
    [[nodiscard]] static QStringList fitting(const Canvas& canvas, const QStringList& sentences, double width, int lines);

    Workspace& m_workspace;
    const Theme& m_theme;
    QList<Part> m_parts;
};

} // namespace prism::ui
