// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/table.h"

#include "core/base/textfile.h"
#include "core/base/printable.h"
#include "core/base/text.h"

#include <algorithm>
#include <cctype>

namespace prism {
namespace {

constexpr std::size_t kShown = 80;

bool isSpace(char c)
{
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

std::string quoted(std::string_view cell)
{
    std::string text = "\"";
    for (const char c : cell)
        text.append(c == '"' ? 2 : 1, c);
    return text + "\"";
}

/// What a character of a row means: one set of rules for where cells end and where rows end.
class Quotes final {
public:
    enum class Meaning { content, quote, separator };

    explicit Quotes(char separator) : m_separator(separator) {}

    /// The meaning of `c`, which `next` follows. A doubled quote is content at its second half.
    Meaning meaning(char c, char next)
    {
        if (m_open)
            return insideQuotes(c, next);
        if (c == '"' && m_blank && !m_quoted) {
            m_open = m_quoted = true;
            return Meaning::quote;
        }
        if (c == m_separator) {
            m_blank = true;
            m_quoted = false;
            return Meaning::separator;
        }
        m_blank = m_blank && isSpace(c);
        return Meaning::content;
    }
    [[nodiscard]] bool open() const { return m_open; }
    [[nodiscard]] bool quoted() const { return m_quoted; } ///< the cell so far had quotes

private:
    Meaning insideQuotes(char c, char next)
    {
        const bool second = m_doubled;
        m_doubled = c == '"' && !second && next == '"';
        if (c != '"' || second)
            return Meaning::content;
        m_open = m_doubled;
        return Meaning::quote;
    }

    char m_separator;
    bool m_open = false, m_quoted = false, m_doubled = false, m_blank = true;
};

char at(std::string_view text, std::size_t i)
{
    return i < text.size() ? text[i] : '\0';
}

/// Where the row at the start of `text` ends: at its line feed, outside of quotes where quotes may hold line breaks.
std::size_t endOfRow(std::string_view text, const TableFormat& format)
{
    if (!format.quotedLines)
        return std::min(text.find('\n'), text.size());
    Quotes quotes(format.separator);
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n' && !quotes.open())
            return i;
        (void)quotes.meaning(text[i], at(text, i + 1));
    }
    return text.size();
}

} // namespace

TableRows::TableRows(std::string_view text, const TableFormat& format) : m_rest(withoutByteOrderMark(text)), m_format(format) {}

bool TableRows::next()
{
    m_problem.reset();
    m_cells.clear();
    if (m_ended || !nextRow())
        return false;
    if (++m_rows > m_format.limits.maxRows) {
        fail("The table has too many rows.", "", "at most " + std::to_string(m_format.limits.maxRows) + " rows");
        m_ended = true;
        return true;
    }
    if (m_row.size() > m_format.limits.maxRowBytes)
        fail("The line is too long.", std::to_string(m_row.size()) + " bytes",
             "at most " + std::to_string(m_format.limits.maxRowBytes) + " bytes");
    else
        splitRow();
    return true;
}

bool TableRows::nextRow()
{
    while (!m_rest.empty()) {
        const std::size_t end = endOfRow(m_rest, m_format);
        m_row = m_rest.substr(0, end);
        m_rest.remove_prefix(std::min(end + 1, m_rest.size()));
        m_line = m_nextLine;
        m_nextLine += 1 + (m_format.quotedLines ? static_cast<std::size_t>(std::count(m_row.begin(), m_row.end(), '\n')) : 0);
        if (m_row.ends_with('\r'))
            m_row.remove_suffix(1);
        const bool comment = m_format.comment != '\0' && m_row.starts_with(m_format.comment);
        if (!comment && !trimmed(m_row).empty())
            return true;
    }
    return false;
}

void TableRows::splitRow()
{
    Quotes quotes(m_format.separator);
    std::string cell;
    const auto endCell = [&](bool quoted) {
        m_cells.emplace_back(m_format.trim && !quoted ? std::string(trimmed(cell)) : cell);
        cell.clear();
    };
    bool quoted = false;
    for (std::size_t i = 0; i < m_row.size(); ++i) {
        const Quotes::Meaning meaning = quotes.meaning(m_row[i], at(m_row, i + 1));
        if (meaning == Quotes::Meaning::separator)
            endCell(quoted);
        else if (meaning == Quotes::Meaning::quote && !quoted)
            cell.clear(); // the blanks before the first quote
        else if (meaning == Quotes::Meaning::content && (quotes.open() || !quoted || !isSpace(m_row[i])))
            cell += m_row[i];
        quoted = quotes.quoted();
        if (m_cells.size() >= m_format.limits.maxColumns) {
            fail("The line has too many cells.", "", "at most " + std::to_string(m_format.limits.maxColumns) + " cells");
            return;
        }
    }
    if (quotes.open())
        fail("A quote is not closed.", std::string(m_row.substr(0, kShown)), "quotes in pairs");
    endCell(quoted);
}

void TableRows::fail(const std::string& message, const std::string& found, const std::string& accepted)
{
    m_problem = Diagnostic{.path = "line " + std::to_string(m_line), .message = message, .found = found, .accepted = accepted};
}

bool TextLines::next()
{
    if (m_rest.empty())
        return false;
    const std::size_t end = std::min(m_rest.find('\n'), m_rest.size());
    m_text = m_rest.substr(0, end);
    m_rest.remove_prefix(std::min(end + 1, m_rest.size()));
    if (m_text.ends_with('\r'))
        m_text.remove_suffix(1);
    ++m_line;
    return true;
}

char separatorOf(std::string_view table, char comment)
{
    for (TextLines lines(table); lines.next();) {
        const std::string_view line = lines.text();
        if (trimmed(line).empty() || (comment != '\0' && line.starts_with(comment)))
            continue;
        for (const char candidate : {'\t', ';'})
            if (line.find(candidate) != std::string_view::npos)
                return candidate;
        break;
    }
    return ',';
}

std::vector<std::string_view> words(std::string_view line, std::size_t largest)
{
    constexpr std::string_view kSpace = " \t\r\n\v\f";
    std::vector<std::string_view> list;
    std::size_t at = 0;
    while (list.size() < largest && (at = line.find_first_not_of(kSpace, at)) != std::string_view::npos) {
        const std::size_t end = std::min(line.find_first_of(kSpace, at), line.size());
        list.push_back(line.substr(at, end - at));
        at = end;
    }
    return list;
}

Diagnostics RowSelection::readHeader(const std::vector<std::string>& cells)
{
    Diagnostics errors;
    for (const std::string& w : m_requested) {
        const std::size_t equals = std::min(w.find('='), w.size());
        const auto at = std::find(cells.begin(), cells.end(), w.substr(0, equals));
        if (at == cells.end() && equals != w.size()) {
            errors.push_back(unknownName("line 1", "column", w.substr(0, equals), cells));
            errors.back().found = w.substr(0, kShown);
        } else if (equals == w.size())
            errors.push_back({.path = "line 1",
                              .message = "Rows cannot be selected by this.",
                              .found = w.substr(0, kShown),
                              .accepted = "COLUMN=VALUE with a column of the header"});
        else
            m_conditions.emplace_back(static_cast<std::size_t>(at - cells.begin()), w.substr(equals + 1));
    }
    return errors;
}

Result<bool> RowSelection::takes(const std::vector<std::string>& cells)
{
    if (!std::exchange(m_hasHeader, true)) {
        if (const Diagnostics errors = readHeader(cells); !errors.empty())
            return errors;
        return true;
    }
    return std::all_of(m_conditions.begin(), m_conditions.end(),
                       [&](const auto& c) { return c.first < cells.size() && cells[c.first] == c.second; });
}

Result<std::string> selectedRows(std::string_view table, const std::vector<std::string>& requested)
{
    if (requested.empty())
        return std::string(table);
    std::string out;
    RowSelection selection(requested);
    for (TableRows rows(table); rows.next();) {
        if (rows.problem())
            return *rows.problem();
        const Result<bool> takes = selection.takes(rows.cells());
        if (!takes.ok())
            return takes.errors();
        if (*takes)
            out.append(rows.text()).push_back('\n');
    }
    return out;
}

std::string tableText(std::string_view text, TableText mode)
{
    if (mode == TableText::exact)
        return std::string(text);
    const std::string plain = withoutControls(text);
    return !plain.empty() && std::string_view("=+-@").find(plain.front()) != std::string_view::npos ? "'" + plain : plain;
}

std::string tableCell(std::string_view cell)
{
    return cell.find_first_of(",;\t\"\r\n") == std::string_view::npos ? std::string(cell) : quoted(cell);
}

std::string tableLine(const std::vector<std::string>& cells, char separator, std::string_view lineEnd)
{
    std::string line;
    for (const std::string& cell : cells) {
        if (&cell != &cells.front())
            line += separator;
        const bool blankRow = cells.size() == 1 && trimmed(cell).empty();                           // without quotes it would be no row
        const bool byteOrderMark = line.empty() && withoutByteOrderMark(cell).size() < cell.size(); // nor would this be a part of the cell
        line += blankRow || byteOrderMark ? quoted(cell) : tableCell(cell);
    }
    return line.append(lineEnd);
}

} // namespace prism
