// SPDX-License-Identifier: GPL-3.0-or-later
// A file as a stream of bytes, decompressed when it is gzip; for a file of any size, only one piece is in memory.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

namespace prism {

/// Progress and cancellation of a long read. Called on the reading thread, every few MiB of the file.
struct ReadControl {
    std::stop_token stop;
    std::function<void(std::uint64_t doneBytes, std::uint64_t totalBytes)> progress; ///< bytes of the file as it lies on disk; may be empty
};

/// Why a stream ended.
enum class StreamEnd { open, complete, truncated, damaged, bomb, cancelled };

/// One sentence for a person; empty for open and complete.
[[nodiscard]] std::string streamEndText(StreamEnd end);

/// Reads forward only. One thread. A gzip file that grows beyond 300 times its size (traces shrink to a tenth or a thirtieth) once it has
/// passed 64 MiB is taken for a bomb and ends there; a truncated or damaged one ends where it breaks, and what came before counts.
class ByteSource final {
public:
    /// Error: no such file, a folder, not readable.
    [[nodiscard]] static Result<ByteSource> open(const std::string& path, ReadControl control = {});

    /// Fills `into` from its start; fewer bytes than requested, down to none, only at the end.
    [[nodiscard]] std::size_t read(std::span<char> into);
    [[nodiscard]] StreamEnd end() const { return m_end; }
    /// Bytes handed out so far.
    [[nodiscard]] std::uint64_t bytesRead() const { return m_read; }

private:
    struct Closer {
        void operator()(void* file) const;
    };
    bool watch();

    std::unique_ptr<void, Closer> m_file;
    ReadControl m_control;
    std::uint64_t m_size = 0, m_read = 0, m_levelled = 0;
    StreamEnd m_end = StreamEnd::open;
};

/// Lines of a stream without their line ends; a line longer than 1 MiB is cut there and counted.
class LineSource final {
public:
    explicit LineSource(ByteSource& source) : m_source(source) {}
    /// The next line, valid until the next call; false at the end.
    [[nodiscard]] bool next(std::string_view& line);
    [[nodiscard]] std::uint64_t cutLines() const { return m_cut; }

private:
    bool fill();

    ByteSource& m_source;
    std::string m_buffer;
    std::size_t m_begin = 0;
    std::uint64_t m_cut = 0;
    bool m_skipping = false;
};

} // namespace prism
