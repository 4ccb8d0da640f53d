// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/bytesource.h"

#include "core/base/diagnostictext.h"
#include "core/base/textfile.h"
#include "core/trace/tracelimits.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace prism {

namespace {

constexpr std::uint64_t kWatchBytes = std::uint64_t{4} << 20;
constexpr std::size_t kLinePiece = std::size_t{1} << 18;
constexpr unsigned kInflateBuffer = 1U << 18;

/// An archive of traces would be read as if its first file were all of it. The reader is at the begin again afterwards.
bool isTar(gzFile file)
{
    constexpr std::size_t kAt = 257; // of the magic in a header of 512 bytes (POSIX.1-1988, ustar)
    constexpr std::string_view kMagic = "ustar";
    std::array<char, kAt + kMagic.size()> start{};
    const int got = gzread(file, start.data(), static_cast<unsigned>(start.size()));
    gzrewind(file);
    return got == static_cast<int>(start.size()) && std::string_view(start.data() + kAt, kMagic.size()) == kMagic;
}

} // namespace

std::string streamEndText(StreamEnd end)
{
    switch (end) {
    case StreamEnd::truncated:
        return "the compressed file ends in the middle; what came before was read";
    case StreamEnd::damaged:
        return "the compressed file is damaged; what came before the damage was read";
    case StreamEnd::bomb:
        return "the compressed file grows beyond 300 times its size and was read no further";
    case StreamEnd::cancelled:
        return "reading was cancelled";
    default:
        return {};
    }
}

void ByteSource::Closer::operator()(void* file) const
{
    gzclose(static_cast<gzFile>(file));
}

Result<ByteSource> ByteSource::open(const std::string& path, ReadControl control)
{
    std::error_code error;
    const bool isFolder = std::filesystem::is_directory(path, error);
    constexpr std::size_t kMagicBytes = 16;
    if (const std::string_view packed = packedAs(isFolder ? "" : bytesAt(path, 0, kMagicBytes)); !packed.empty())
        return errorAt(path, "the file is packed as " + std::string(packed), "", "plain or gzip: unpack it first");
    ByteSource source;
    if (!isFolder)
        source.m_file.reset(gzopen(path.c_str(), "rb"));
    if (!source.m_file)
        return Diagnostic{Severity::error, path, "the file cannot be opened", isFolder ? "a folder" : "", "a readable file", "", ""};
    gzbuffer(static_cast<gzFile>(source.m_file.get()), kInflateBuffer);
    if (std::filesystem::is_regular_file(path, error) && isTar(static_cast<gzFile>(source.m_file.get())))
        return errorAt(path, "the file is an archive of several (tar)", "", "its files, or the folder that they lie in: unpack it first");
    source.m_size = std::filesystem::file_size(path, error);
    if (error)
        source.m_size = 0;
    source.m_control = std::move(control);
    return source;
}

bool ByteSource::watch()
{
    if (m_control.stop.stop_requested()) {
        m_end = StreamEnd::cancelled;
        return false;
    }
    const auto file = static_cast<gzFile>(m_file.get());
    const auto onDisk = static_cast<std::uint64_t>(std::max<z_off_t>(0, gzoffset(file)));
    if (gzdirect(file) == 0 && m_read > kFreelyInflatedBytes && m_read > kMaxInflation * std::max<std::uint64_t>(1, onDisk)) {
        m_end = StreamEnd::bomb;
        return false;
    }
    if (m_control.progress && m_read - m_levelled >= kWatchBytes) {
        m_levelled = m_read;
        m_control.progress(onDisk, m_size);
    }
    return true;
}

std::size_t ByteSource::read(std::span<char> into)
{
    std::size_t filled = 0;
    const auto file = static_cast<gzFile>(m_file.get());
    while (filled < into.size() && m_end == StreamEnd::open && watch()) {
        const auto want = static_cast<unsigned>(std::min<std::size_t>(into.size() - filled, kWatchBytes));
        const int got = gzread(file, into.data() + filled, want);
        if (got > 0) {
            filled += static_cast<std::size_t>(got);
            m_read += static_cast<std::uint64_t>(got);
        }
        if (got < static_cast<int>(want)) {
            int code = Z_OK;
            (void)gzerror(file, &code);
            m_end = code == Z_OK || code == Z_STREAM_END ? StreamEnd::complete
                    : code == Z_BUF_ERROR                ? StreamEnd::truncated
                                                         : StreamEnd::damaged;
        }
    }
    return filled;
}

bool LineSource::fill()
{
    m_buffer.erase(0, m_begin);
    m_begin = 0;
    const std::size_t had = m_buffer.size();
    m_buffer.resize(had + kLinePiece);
    m_buffer.resize(had + m_source.read(std::span<char>(m_buffer).subspan(had)));
    return m_buffer.size() > had;
}

bool LineSource::next(std::string_view& line)
{
    std::size_t looked = m_begin;
    for (;;) {
        const std::size_t at = m_buffer.find('\n', looked);
        if (at != std::string::npos || m_buffer.size() - m_begin > kMaxTraceLine) {
            const bool isCut = at == std::string::npos;
            const std::size_t stop = isCut ? m_buffer.size() : at;
            line = std::string_view(m_buffer).substr(m_begin, stop - m_begin);
            m_begin = isCut ? stop : stop + 1;
            const bool isRest = m_skipping; // the rest of a line that was cut
            m_skipping = isCut;
            m_cut += isCut && !isRest ? 1U : 0U;
            if (isRest) {
                looked = m_begin;
                continue;
            }
            break;
        }
        const std::size_t kept = m_buffer.size() - m_begin;
        if (!fill()) {
            if (kept == 0 || m_skipping)
                return false;
            line = std::string_view(m_buffer).substr(m_begin);
            m_begin = m_buffer.size();
            break;
        }
        looked = m_begin + kept;
    }
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return true;
}

} // namespace prism
