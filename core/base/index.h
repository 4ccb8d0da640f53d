// SPDX-License-Identifier: GPL-3.0-or-later
// Conversion of int to size: counts and numbers are int in the step graph, positions in containers are std::size_t.
#pragma once

#include <cstddef>

namespace prism {

/// A place in a container; i >= 0.
[[nodiscard]] constexpr std::size_t index(int i)
{
    return static_cast<std::size_t>(i);
}

} // namespace prism
