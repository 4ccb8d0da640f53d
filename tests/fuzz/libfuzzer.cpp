// SPDX-License-Identifier: GPL-3.0-or-later
// The entry that libFuzzer calls: one program per target, coverage-guided. PRISM_FUZZ_TARGET names the target.
#include "core/base/outputfile.h"
#include "fuzz/target.h"

#include <cstdint>
#include <filesystem>
#include <string>
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

/// Files that the program writes itself go into the corpus folder first: nobody finds the head of a study by chance.
extern "C" int LLVMFuzzerInitialize(const int* argc, char*** argv)
{
    const std::string folder = *argc > 1 ? (*argv)[*argc - 1] : "";
    const prism::fuzz::Target* target = chosen();
    if (target->written == nullptr || !std::filesystem::is_directory(folder))
        return 0;
    int number = 0;
    for (const std::string& seed : target->written())
        prism::fuzz::holds(prism::writeFile(folder + "/written-" + std::to_string(number++), seed).empty(), "seeds can be written");
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const prism::fuzz::Target* target = chosen();
    target->run({reinterpret_cast<const char*>(data), size < target->maxBytes ? size : target->maxBytes});
    return 0;
}
