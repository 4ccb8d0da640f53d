// SPDX-License-Identifier: GPL-3.0-or-later
// Where a scenario comes from: the one that it was made from, and what was changed since.
#pragma once

#include "ui/model/studystate.h"

#include <QString>

namespace prism::ui {

/// "from base with TP 4 → 8, PP 2"; the first few changes, then how many more. Empty without a parent in the study.
[[nodiscard]] QString lineage(const StudyState& state, const ScenarioEntry& entry);

} // namespace prism::ui
