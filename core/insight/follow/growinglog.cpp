// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/follow/growinglog.h"

#include "core/base/textfile.h"
#include "core/measured/steplog.h"

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
        m_rest.clear();
        m_wasReturn = false;
    }
    bool any = false;
    for (std::string got = bytesAt(m_path, m_offset, kPart); !got.empty(); got = bytesAt(m_path, m_offset, kPart)) {
        if (m_start.size() < kKnownBytes)
            m_start.append(got, 0, kKnownBytes - m_start.size());
        m_offset += got.size();
        take(listener, got);
        any = true;
    }
    if (atEnd && !m_rest.empty()) {
        listener.line(m_rest);
        m_rest.clear();
    }
    return any;
}

void GrowingLog::take(const LogListener& listener, std::string_view got)
{
    for (std::size_t end = got.find_first_of(kLineEnds); end != std::string_view::npos; end = got.find_first_of(kLineEnds)) {
        const bool isSecond = m_wasReturn && end == 0 && got[0] == '\n'; // of "\r\n"
        m_wasReturn = got[end] == '\r';
        m_rest.append(got.substr(0, end));
        if (!isSecond)
            listener.line(m_rest);
        m_rest.clear();
        got.remove_prefix(end + 1);
    }
    m_wasReturn = m_wasReturn && got.empty();
    if (m_rest.size() <= kLongestLogLine) // the rest of a line that is too long is not kept
        m_rest.append(got);
}

} // namespace prism
