// SPDX-License-Identifier: GPL-3.0-or-later
// Links from one part of the window to another: a pulled p95 to the moves, a clicked change to its waterfall, ranges to the search.
#pragma once

namespace prism::ui {

class ConfigEditor;
class HeadlineStrip;
class PageHost;

/// Connects the parts. Called once, when all of them are there. GUI thread.
void connectLeads(PageHost& pages, HeadlineStrip& headline, ConfigEditor& editor);

} // namespace prism::ui
