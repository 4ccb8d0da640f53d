// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/follow/growinglog.h"

#include "core/base/textfile.h"

#include <filesystem>

namespace prism {

namespace {

constexpr std::size_t kKnownBytes = 256; // first bytes by which a file is known again
constexpr std::size_t kPart = std::size_t{1} << 16;

} // namespace

bool GrowingLog::read(const LogListener& listener, bool atEnd)
{
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(m_path, error);
    if (error)
        return false;
    if (size < m_offset || bytesAt(m_path, 0, m_start.size()) != m_start) {
        listener.restarted();
        m_offset = 0;
        m_start.clear();
        m_lines = {};
    }
    bool any = false;
    for (std::string got = bytesAt(m_path, m_offset, kPart); !got.empty(); got = bytesAt(m_path, m_offset, kPart)) {
        if (m_start.size() < kKnownBytes)
            m_start.append(got, 0, kKnownBytes - m_start.size());
        m_offset += got.size();
        m_lines.take(got, listener.line);
        any = true;
    }
    if (atEnd)
        m_lines.finish(listener.line);
    return any;
}

} // namespace prism
