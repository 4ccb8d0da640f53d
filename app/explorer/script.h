// SPDX-License-Identifier: GPL-3.0-or-later
// The explorer driven by a text of actions: used by tests, and without a display, to drive the real window.
#pragma once

#include "ui/theme/theme.h"

#include <QString>

namespace prism::explorer {

struct ScriptOptions {
    QString file;  ///< the script; "-" = standard input
    QString study; ///< a study, a file to import, or empty = the sample study
    QString size;  ///< "1440x900"
    double uiScale = 1;
};

/// Runs the actions, one per line; "#" starts a comment. Each prints a line when it is done, so that a caller knows how far it came.
///   set PARAMETER TEXT      types a value into the current scenario        undo, redo          steps of the study
///   duplicate, remove       the current scenario (remove: archives it)     page ID             shows a page
///   wait                    until every value and the file are up to date   save                 waits until the study is on disk
///   save-as FILE            the study under another name                    rss                  prints the resident memory in KiB
///   open FILE               as if it were dropped on the window             do COMMAND           a command of the menus by its id
///   picture FILE            the window as it is
///   repeat N ... end        the lines between N times; {i} in them is 1, 2, ..., N (not nested)
/// Exit code: 0 done, 1 a line or the study is wrong, 3 something did not finish in time.
[[nodiscard]] int runScript(ui::Theme& theme, const ScriptOptions& options);

} // namespace prism::explorer
