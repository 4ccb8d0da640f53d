// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/engineversion.h"

#include "core/base/hash.h"
#include "core/scenario/presetlibrary.h"

namespace prism {

const std::string& engineVersion()
{
    static const std::string instance = [] {
        const Result<std::string>& constants = constantsText();
        return std::string(PRISM_VERSION) + ", constants " + (constants.ok() ? Hasher().add(*constants).result().text() : "not fitted");
    }();
    return instance;
}

const Result<std::string>& constantsText()
{
    static const Result<std::string> instance = presetText("calibration", "default");
    return instance;
}

} // namespace prism
