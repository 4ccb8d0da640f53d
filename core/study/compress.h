// SPDX-License-Identifier: GPL-3.0-or-later
// zlib with bounds: text and blobs of a study, which may be untrusted. Internal to core/study.
#pragma once

#include "core/study/studylimits.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace prism {

[[nodiscard]] std::string compressBytes(std::string_view bytes);
/// Throws StudyError (damaged) unless the data unpack to exactly `rawBytes`.
[[nodiscard]] std::string expandBytes(std::string_view data, std::int64_t rawBytes);
/// FNV-1a based 64-bit hash by which equal content is found; equality is checked on the bytes.
[[nodiscard]] std::int64_t contentKey(std::string_view bytes);

} // namespace prism
