// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/normal.h"

#include <boost/math/special_functions/erf.hpp>

namespace prism {

double normalQuantile(double probability)
{
    return -std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * probability);
}

} // namespace prism
