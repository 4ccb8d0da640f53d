// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/peers/toolrun.h"

#include "core/base/jsontext.h"

#include <nlohmann/json.hpp>

namespace prism::cli {

std::optional<ChildRun> bestChild(const ChildCommand& command, int runs)
{
    std::optional<ChildRun> best;
    for (int i = 0; i < runs; ++i) {
        const auto run = runChild(command);
        if (!run || run->exitCode != 0)
            return std::nullopt;
        if (!best || run->cpuSeconds < best->cpuSeconds)
            best = run;
    }
    return best;
}

nlohmann::json lastLine(const std::string& output)
{
    const auto end = output.find_last_not_of('\n');
    const auto begin = end == std::string::npos ? end : output.rfind('\n', end);
    const std::string line = end == std::string::npos ? "" : output.substr(begin == std::string::npos ? 0 : begin + 1, end - begin);
    const Result<nlohmann::json> value = parseJson(line);
    return value ? *value : nlohmann::json();
}

double numberAt(const nlohmann::json& object, const char* key)
{
    return object.is_object() && object.contains(key) && object[key].is_number() ? object[key].get<double>() : 0;
}

std::string pythonWith(const std::string& module)
{
    for (const char* python : {"python3", "/usr/bin/python3"})
        if (const auto run = runChild({.words = {python, "-c", "import " + module}}); run && run->exitCode == 0)
            return python;
    return {};
}

} // namespace prism::cli
