// SPDX-License-Identifier: GPL-3.0-or-later
// Parses the text of a search for configurations, and names its results.
#pragma once

#include "core/explore/explore.h"

#include <QString>
#include <QStringList>

namespace prism::ui {

/// "TP 4, 8; PP 2 … 16; VPP 1 to 8": parameters by short name or id, each with a list or a range (…, .., to); semicolons or line ends
/// between them. Empty = the default space of the scenario. Errors: those of searchAxis, all at once.
[[nodiscard]] Result<SearchSpace> searchSpaceOf(const QString& text, const Scenario& scenario);
/// The values of a range or list that was typed into the field of one parameter ("2 … 16", "1, 2, 4", "1 %, 2 %"), each as setParameter
/// reads it; empty where it is not a list, or holds less than two values.
[[nodiscard]] QStringList rangeOf(const Parameter& parameter, const QString& text);
/// A text for searchSpaceOf with these values for one parameter, in place of those that it names; without values the axis goes.
[[nodiscard]] QString withAxis(const QString& text, const Parameter& parameter, const QStringList& values);
/// "TP8 PP16 VPP4", parameters without a short name by their values behind it.
[[nodiscard]] QString candidateName(const ExploreCandidate& candidate);
/// The two parts of it: sizes with short names ("TP8 PP16"), and the other settings ("zb-v recomputation selective").
[[nodiscard]] QString layoutName(const ExploreCandidate& candidate);
[[nodiscard]] QString furtherSettings(const ExploreCandidate& candidate);
/// The scenario with a candidate's values under its name. Errors: values that a parameter does not take.
[[nodiscard]] Result<Scenario> candidateScenario(const Scenario& base, const ExploreCandidate& candidate);
/// Whether the scenario already has all values of the candidate, or of a configuration with the same results.
[[nodiscard]] bool isCandidate(const Scenario& scenario, const ExploreCandidate& candidate);
/// "The same in every metric: VPP 2; VPP 4": which configurations the candidate represents as well; empty where there is none.
[[nodiscard]] QString equalText(const ExploreCandidate& candidate);

} // namespace prism::ui
