// SPDX-License-Identifier: GPL-3.0-or-later
// What prism-ui-bench measures of a window: turns of the GUI thread with what ran in them, and edits up to their first repaint.
#pragma once

#include "ui/window/mainwindow.h"

#include <QString>

#include <vector>

namespace prism::ui::bench {

/// One turn of the event loop, or one call, on the GUI thread.
struct Turn {
    double milliseconds = 0;
    double cpuMilliseconds = 0; ///< of the GUI thread: what is left of it where other programs have the processor too
    QString during;             ///< "placement, edit 17"
};

/// What a session of edits took.
struct EditTimes {
    std::vector<double> repaints; ///< milliseconds from an edit to the first repaint of the shown page
    std::vector<Turn> turns;
};

/// The p-quantile; 0 without values.
[[nodiscard]] double quantile(std::vector<double> values, double p);
/// Turns the event loop until the step times of every scenario are there.
void waitForResults(MainWindow& window);
/// The same, and until the shown page has its answers.
void waitForPage(MainWindow& window);
/// Random edits of one spread of scenario 1; `name` is in the turns.
[[nodiscard]] EditTimes editSession(MainWindow& window, int edits, const QString& name);
/// Milliseconds from pointing at a value to its ghost curve, for values of several parameters.
[[nodiscard]] std::vector<double> ghostTimes(MainWindow& window, int rounds);
/// Median, p95 and longest of the edits; of the turns with work also how many took over a frame, by the clock
/// and by the thread's own time, and the longest five by name.
void print(const QString& name, const EditTimes& times);

} // namespace prism::ui::bench
