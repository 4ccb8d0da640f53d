// SPDX-License-Identifier: GPL-3.0-or-later
// What runs in one interval of a stage.
#pragma once

#include <string_view>

namespace prism {

enum class SpanKind { forward, backward, weight, send, embeddingAllReduce, gradSync, gradNorm, optimizer, paramGather, bubble };
[[nodiscard]] std::string_view spanKindName(SpanKind kind);

} // namespace prism
