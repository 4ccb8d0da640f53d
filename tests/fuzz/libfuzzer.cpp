// SPDX-License-Identifier: GPL-3.0-or-later
// The entry that libFuzzer calls: one program per target, coverage-guided. PRISM_FUZZ_TARGET names the target.
#include "fuzz/target.h"

#include <cstdint>
#include <string_view>

namespace {

const prism::fuzz::Target* chosen()
{
    using namespace prism::fuzz;
    for (const auto& group : {scenarioTargets(), graphTargets(), tableTargets(), studyTargets(), traceTargets(), questionTargets()})
        for (const Target& t : group)
            if (std::string_view(t.name) == PRISM_FUZZ_TARGET)
                return &t;
    std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const prism::fuzz::Target* target = chosen();
    target->run({reinterpret_cast<const char*>(data), size < target->maxBytes ? size : target->maxBytes});
    return 0;
}
