// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/eventstream.h"

#include "core/trace/tracelimits.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace prism {

namespace {

constexpr std::size_t kFirstWindow = std::size_t{1} << 14, kWindow = std::size_t{2} << 20, kMaxHeader = std::size_t{4} << 20, kPadding = 64;
constexpr int kMaxFreshStarts = 2000; // in one file, so that a hostile one ends in seconds
constexpr std::string_view kKey = "\"traceEvents\"";

/// Bytes that change the scanner's state outside of texts.
constexpr std::array<bool, 256> kStops = [] {
    std::array<bool, 256> stops{};
    for (const char c : {'"', '{', '}', '[', ']'})
        stops[static_cast<unsigned char>(c)] = true;
    return stops;
}();

bool isSpace(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

class Reader {
public:
    Reader(ByteSource& source, const std::function<std::size_t(std::string_view, std::size_t)>& use) : m_source(source), m_use(use) {}

    EventStreamEnd run()
    {
        if (!findArray())
            return std::move(m_result);
        m_result.foundArray = true;
        while (!m_closed) {
            scan();
            flush();
            if (m_closed || more())
                continue;
            if (m_depth == 0)
                break;
            ++m_result.broken; // an element that the end of the file cut, or a lost quote or brace before it
            if (!startAfresh(m_begin + 1, m_text.size()))
                break;
        }
        m_result.closedArray = m_closed;
        if (m_closed)
            readTrailer();
        return std::move(m_result);
    }

private:
    struct Element {
        std::size_t begin, end;
    };

    /// Appends up to a window; false at the end. Moves what is left to the front first.
    bool more()
    {
        const std::size_t keep = std::min(m_depth > 0 ? m_begin : m_at, m_text.size());
        if (m_text.size() - keep > kMaxTraceElement) { // no element is as long
            ++m_result.broken;
            if (startAfresh(m_begin + 1, m_text.size()))
                return true;
            m_depth = 0;
            m_inText = false;
            m_at = m_text.size();
            return more();
        }
        const std::size_t drop = keep > 0 ? keep - 1 : 0; // one byte before an element is overwritten by flush()
        m_text.erase(0, drop);
        m_at -= drop;
        m_begin -= std::min(m_begin, drop);
        const std::size_t had = m_text.size();
        m_text.resize(had + m_window);
        m_window = std::min(2 * m_window, kWindow); // folders have thousands of small files
        const std::size_t got = m_source.read(std::span<char>(m_text).subspan(had));
        m_text.resize(had + got);
        m_text.reserve(m_text.size() + kPadding);
        return got > 0;
    }

    bool findArray()
    {
        for (;;) {
            const bool grew = more();
            const auto first = static_cast<std::size_t>(std::find_if_not(m_text.begin(), m_text.end(), isSpace) - m_text.begin());
            std::size_t at = std::string::npos;
            if (first < m_text.size() && m_text[first] == '[')
                at = first;
            else if (const std::size_t key = m_text.find(kKey); key != std::string::npos) {
                at = m_text.find_first_not_of(" \n\r\t:", key + kKey.size());
                if (at != std::string::npos && m_text[at] != '[')
                    return false;
                m_result.header = m_text.substr(0, key);
            }
            if (at != std::string::npos) {
                m_at = at + 1;
                return true;
            }
            if (!grew || m_text.size() > kMaxHeader)
                return false;
            m_at = 0;
        }
    }

    /// Finds whole elements up to the end of the window.
    void scan()
    {
        const char* const text = m_text.data();
        const std::size_t size = m_text.size();
        while (m_at < size && !m_closed) {
            if (m_inText) {
                const auto* quote = static_cast<const char*>(std::memchr(text + m_at, '"', size - m_at));
                if (quote == nullptr) {
                    m_at = size; // the window may end between a backslash and a quote: escapes are counted from the text's begin
                    return;
                }
                m_at = static_cast<std::size_t>(quote - text) + 1;
                m_inText = isEscaped(text, static_cast<std::size_t>(quote - text));
                continue;
            }
            while (m_at < size && !kStops[static_cast<unsigned char>(text[m_at])])
                ++m_at;
            if (m_at < size)
                step(text[m_at]);
        }
    }
    static bool isEscaped(const char* text, std::size_t quote)
    {
        std::size_t slashes = 0;
        while (slashes < quote && text[quote - slashes - 1] == '\\')
            ++slashes;
        return slashes % 2 == 1;
    }
    void step(char c)
    {
        if (c == '"')
            m_inText = true;
        else if (c == '{' || c == '[') {
            if (m_depth++ == 0)
                m_begin = m_at;
        } else if (m_depth == 0) {
            m_closed = c == ']';
        } else if (--m_depth == 0) {
            m_elements.push_back({m_begin, m_at + 1});
        }
        ++m_at;
    }

    /// Hands the elements on; behind a broken one scanning starts again.
    void flush()
    {
        std::size_t done = 0;
        bool oneByOne = false; // a broken one may make all of its window unreadable: they go alone then, so that none is parsed often
        while (done < m_elements.size()) {
            const std::size_t count = oneByOne ? 1 : m_elements.size() - done;
            const std::size_t used = hand(done, count);
            done += used;
            if (used == count || !std::exchange(oneByOne, true))
                continue;
            ++m_result.broken;
            const Element broken = m_elements[done++];
            if (startAfresh(broken.begin + 1, broken.end)) { // what was taken for one element holds the next ones
                m_elements.clear();
                done = 0;
                scan();
            }
        }
        m_elements.clear();
    }
    /// Gives `count` elements from the `first` on to the user; how many it could read.
    std::size_t hand(std::size_t first, std::size_t count)
    {
        const std::size_t begin = m_elements[first].begin, end = m_elements[first + count - 1].end;
        m_text.reserve(m_text.size() + kPadding + 1);
        if (end >= m_text.size())
            m_text.push_back(' ');
        const char before = m_text[begin - 1], after = m_text[end];
        m_text[begin - 1] = '[';
        m_text[end] = ']';
        const std::size_t used = m_use(std::string_view(m_text).substr(begin - 1, end - begin + 2), count);
        m_text[begin - 1] = before;
        m_text[end] = after;
        return std::min(used, count);
    }
    /// Resumes scanning at the next element that begins in [from, until); false where there is none or it was done too often.
    bool startAfresh(std::size_t from, std::size_t until)
    {
        const std::size_t next = m_freshStarts < kMaxFreshStarts ? nextElement(from) : std::string::npos;
        if (next == std::string::npos || next >= until)
            return false;
        ++m_freshStarts;
        m_at = next;
        m_depth = 0;
        m_inText = m_closed = false;
        return true;
    }
    /// The brace of the next "}, {" from `at` on; npos = none in the window.
    [[nodiscard]] std::size_t nextElement(std::size_t at) const
    {
        for (std::size_t close = m_text.find('}', at); close != std::string::npos; close = m_text.find('}', close + 1)) {
            const std::size_t comma = m_text.find_first_not_of(" \n\r\t", close + 1);
            if (comma == std::string::npos || m_text[comma] != ',')
                continue;
            const std::size_t open = m_text.find_first_not_of(" \n\r\t", comma + 1);
            if (open != std::string::npos && m_text[open] == '{')
                return open;
        }
        return std::string::npos;
    }

    void readTrailer()
    {
        m_depth = 0;
        while (m_text.size() - m_at < kMaxHeader && more()) {
        }
        m_result.trailer = m_text.substr(m_at, kMaxHeader);
    }

    ByteSource& m_source;
    const std::function<std::size_t(std::string_view, std::size_t)>& m_use;
    EventStreamEnd m_result;
    std::string m_text;
    std::vector<Element> m_elements;
    std::size_t m_at = 0, m_begin = 0, m_window = kFirstWindow;
    int m_depth = 0, m_freshStarts = 0;
    bool m_inText = false, m_closed = false;
};

} // namespace

EventStreamEnd readEventStream(ByteSource& source, const std::function<std::size_t(std::string_view, std::size_t)>& use)
{
    return Reader(source, use).run();
}

} // namespace prism
