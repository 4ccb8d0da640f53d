// SPDX-License-Identifier: GPL-3.0-or-later
// Scenarios that were made bad in one parameter, and which move repairs them.
#pragma once

#include "core/explore/moves.h"

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace prism::test {

/// A scenario of the library, quiet enough that one bad value stands out, and that value.
struct PlantedMove {
    const char* what;
    const char* preset;
    std::vector<std::pair<const char*, const char*>> quiet; ///< the good scenario: the preset with these
    const char* id;                                         ///< of the parameter that is made bad; "slow" for a slow node
    const char* bad;
    std::string repairs; ///< id that the best move sets; "slow" where it changes the slow places
    bool hardware = false;
};

inline std::ostream& operator<<(std::ostream& out, const PlantedMove& planted)
{
    return out << planted.what;
}

/// Twenty, one of each kind that the moves know.
[[nodiscard]] const std::vector<PlantedMove>& plantedMoves();
/// Asserts that the first move of the scenario repairs what was planted and is beyond its interval.
void expectRepaired(const PlantedMove& planted);

} // namespace prism::test
