// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/constantstext.h"

#include "core/scenario/presetlibrary.h"

namespace prism {

const Result<std::string>& constantsText()
{
    static const Result<std::string> instance = presetText("calibration", "default");
    return instance;
}

} // namespace prism
