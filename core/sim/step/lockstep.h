// SPDX-License-Identifier: GPL-3.0-or-later
// Replicas in lockstep as one: a set that meets in every layer is a replica whose cells hold all its members' groups.
#pragma once

#include "core/step/stepgraph.h"

namespace prism {

/// The graph with the members of every lockstep set put together: cell ranks are [member][rank], collectives over replicas are those of
/// the cell, transfers and the embedding all-reduce have the groups of all members, and each group has a data factor of its own;
/// lockstepReplicas says how many members a cell holds (0 = there is no lockstep). A graph without collectives over replicas comes back as
/// it is otherwise. The fast simulator's view: exact where a cell has one group and
/// every program spans replicas. Else programs that do not are run together as well, and members' groups that meet in their own cell
/// meet all of the set's.
[[nodiscard]] StepGraph inLockstep(const StepGraph& graph);

} // namespace prism
