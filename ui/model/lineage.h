// SPDX-License-Identifier: GPL-3.0-or-later
// Origin of a scenario: the one that it was made from, and the changes since.
#pragma once

#include "ui/model/studystate.h"

#include <QStringList>

namespace prism::ui {

/// "from base with TP 4 → 8, PP 2"; the first few changes, then how many more. Empty without a parent in the study.
[[nodiscard]] QString lineage(const StudyState& state, const ScenarioEntry& entry);
/// The same for a narrow place, longest first: "PP 8, GBS 64", "PP 8 +1", "2 edits". Empty where nothing was changed.
[[nodiscard]] QStringList lineageForms(const StudyState& state, const ScenarioEntry& entry);

} // namespace prism::ui
