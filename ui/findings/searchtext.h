// SPDX-License-Identifier: GPL-3.0-or-later
// What a person types to say which configurations to search, and what a found one is called.
#pragma once

#include "core/explore/explore.h"

#include <QString>

namespace prism::ui {

/// "TP 4, 8; PP 2 … 16; VPP 1 to 8": parameters by short name or id, each with a list or a range (…, .., to); semicolons or line ends
/// between them. Empty = the default space of the scenario. Errors: those of searchAxis, all at once.
[[nodiscard]] Result<SearchSpace> searchSpaceOf(const QString& text, const Scenario& scenario);
/// "TP8 PP16 VPP4", parameters without a short name by their values behind it.
[[nodiscard]] QString candidateName(const ExploreCandidate& candidate);
/// The scenario with a candidate's values under its name. Errors: values that a parameter does not take.
[[nodiscard]] Result<Scenario> candidateScenario(const Scenario& base, const ExploreCandidate& candidate);
/// Whether the scenario already has all values of the candidate.
[[nodiscard]] bool isCandidate(const Scenario& scenario, const ExploreCandidate& candidate);

} // namespace prism::ui
