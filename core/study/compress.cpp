// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/compress.h"

#include "core/base/hash.h"
#include "core/study/database.h"
#include "core/study/studytypes.h"

#include <zlib.h>

namespace prism {

namespace {

// Deflate cannot do better than 1032:1 (zlib technical details, zlib.net/zlib_tech.html), so a larger claim is a lie and no
// memory is set aside for it.
constexpr std::int64_t kMaxRatio = 1032;

[[noreturn]] void failDamaged(const char* what)
{
    failStudy(study_problem::kDamaged, "Compressed data in the study file are damaged.", what,
              "`prism-cli study salvage` copies what can be read");
}

} // namespace

std::string compressBytes(std::string_view bytes)
{
    uLongf size = compressBound(bytes.size());
    std::string data(size, '\0');
    if (compress2(reinterpret_cast<Bytef*>(data.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(),
                  Z_DEFAULT_COMPRESSION)
        != Z_OK)
        throw std::bad_alloc();
    data.resize(size);
    return data;
}

std::string expandBytes(std::string_view data, std::int64_t rawBytes)
{
    if (rawBytes < 0 || rawBytes > kMaxRawBytes || rawBytes / kMaxRatio > static_cast<std::int64_t>(data.size()))
        failDamaged("impossible size");
    std::string bytes(static_cast<std::size_t>(rawBytes), '\0');
    uLongf size = bytes.size();
    Bytef none = 0; // zlib wants an address even for nothing
    const int code = uncompress(bytes.empty() ? &none : reinterpret_cast<Bytef*>(bytes.data()), &size,
                                reinterpret_cast<const Bytef*>(data.data()), data.size());
    if (code != Z_OK || size != bytes.size())
        failDamaged("wrong checksum or length");
    return bytes;
}

std::int64_t contentKey(std::string_view bytes)
{
    return static_cast<std::int64_t>(Hasher().add(bytes).result().value);
}

} // namespace prism
