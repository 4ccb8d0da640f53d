// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/operatorrows.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace prism {

MatrixPrecision precisionOf(const std::string& dtype)
{
    std::string d = dtype;
    std::transform(d.begin(), d.end(), d.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto has = [&](const char* part) { return d.find(part) != std::string::npos; };
    if (has("fp4"))
        return MatrixPrecision::fp4;
    if (has("fp8") || has("float8") || has("e4m3") || has("e5m2"))
        return MatrixPrecision::fp8;
    if (d == "fp32" || d == "float32" || d == "float" || d == "tf32")
        return MatrixPrecision::tf32;
    return MatrixPrecision::bits16;
}

bool collectiveOf(const std::string& op, CollectiveOp& collective)
{
    static constexpr std::pair<const char*, CollectiveOp> kOps[] = {{"all_reduce", CollectiveOp::allReduce},
                                                                    {"all_gather", CollectiveOp::allGather},
                                                                    {"reduce_scatter", CollectiveOp::reduceScatter},
                                                                    {"all_to_all", CollectiveOp::allToAll},
                                                                    {"p2p", CollectiveOp::sendRecv}};
    for (const auto& [name, value] : kOps)
        if (op == name) {
            collective = value;
            return true;
        }
    return false;
}

} // namespace prism
