// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/loglines.h"

namespace prism {

void LogLines::take(std::string_view piece, const Line& line)
{
    if (!m_hasStarted && EventLines::isStart(piece))
        m_events.emplace();
    m_hasStarted = true;
    if (m_events)
        return m_events->take(piece, line);
    for (std::size_t end = piece.find_first_of(kLineEnds); end != std::string_view::npos; end = piece.find_first_of(kLineEnds)) {
        const bool isSecond = m_wasReturn && end == 0 && piece[0] == '\n'; // of "\r\n"
        m_wasReturn = piece[end] == '\r';
        if (!m_rest.empty())
            line(m_rest.append(piece.substr(0, end)));
        else if (!isSecond)
            line(piece.substr(0, end));
        m_rest.clear();
        piece.remove_prefix(end + 1);
    }
    m_wasReturn = m_wasReturn && piece.empty();
    if (m_rest.size() <= kLongestLogLine) // the rest of a line that is too long is not kept
        m_rest.append(piece);
}

void LogLines::finish(const Line& line)
{
    if (!m_rest.empty())
        line(m_rest);
    m_rest.clear();
}

} // namespace prism
