// SPDX-License-Identifier: GPL-3.0-or-later
// Counts and numbers of things are int in the step graph, places in containers are not.
#pragma once

#include <cstddef>

namespace prism {

/// A place in a container; i >= 0.
[[nodiscard]] constexpr std::size_t index(int i)
{
    return static_cast<std::size_t>(i);
}

} // namespace prism
