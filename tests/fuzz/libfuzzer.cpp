// SPDX-License-Identifier: GPL-3.0-or-later
// The entry that libFuzzer calls: one program per target, coverage-guided. PRISM_FUZZ_TARGET names the target.
#include "core/base/outputfile.h"
#include "fuzz/target.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
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

/// Files that the program writes itself go into the corpus folder first: random bytes never make the head of a study.
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

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t maxSize); // of libFuzzer

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t maxSize, unsigned seed)
{
    static const prism::fuzz::Target* target = chosen();
    std::mt19937_64 random(seed);
    if (target->mutate == nullptr || random() % 2 == 0)
        return LLVMFuzzerMutate(data, size, maxSize);
    const std::string changed = target->mutate({reinterpret_cast<const char*>(data), size}, random);
    const std::size_t length = std::min(changed.size(), maxSize);
    std::memcpy(data, changed.data(), length);
    return length;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const prism::fuzz::Target* target = chosen();
    target->run({reinterpret_cast<const char*>(data), size < target->maxBytes ? size : target->maxBytes});
    return 0;
}
