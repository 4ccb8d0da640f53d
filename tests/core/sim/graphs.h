// Small graphs for tests of the simulators.
#pragma once

#include "core/step/stepgraph.h"

#include <string>

namespace prism::test {

/// What a small job looks like; every program is `layers` x (two kernels, then a collective inside the group).
struct JobShape {
    std::string schedule = "1f1b";
    int stages = 1, chunks = 1, microbatches = 1, replicas = 1, groupRanks = 1, groups = 1, layers = 1;
    double forwardSeconds = 1.0;   ///< compute of one chunk's forward; backward takes twice that (once when W is apart)
    double collectiveSeconds = 0.0; ///< per layer; 0 = the program has no collective
    double sendSeconds = 0.0, gradSyncSeconds = 0.0, optimizerSeconds = 0.0, paramGatherSeconds = 0.0, gradNormSeconds = 0.0,
           embeddingSeconds = 0.0;
    Distribution compute, intra, inter; ///< temporal factors by kind of class
};

/// Classes: 0 compute, 1 intra-node collective, 2 inter-node communication, 3 optimizer (compute).
[[nodiscard]] StepGraph jobGraph(const JobShape& shape);

} // namespace prism::test
