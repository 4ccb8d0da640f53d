// SPDX-License-Identifier: GPL-3.0-or-later
// The only reader of tables as text (comma, semicolon or tab between cells, RFC 4180 quotes): row by row, bounded, every problem with its
// line.
#pragma once

#include "core/base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace prism {

/// Bounds of a table. Memory is one row and what the caller keeps of it.
struct TableLimits {
    std::size_t maxRows = 2'000'000;
    std::size_t maxColumns = 4'096;
    std::size_t maxRowBytes = std::size_t{1} << 20;
};

/// How a table is written.
struct TableFormat {
    char separator = ',';
    char comment = '\0';      ///< lines that start with it are omitted; '\0' = none are
    bool trim = false;        ///< omit the white space around cells without quotes
    bool quotedLines = false; ///< a cell in quotes may hold line breaks; otherwise a quote has to close on its line
    TableLimits limits;
};

/// Goes through the rows of a table. Empty lines and a byte-order mark are omitted; a cell in quotes may hold the separator and "" for
/// a quote; a quote inside a cell without quotes is a character like others. Any thread; the text outlives the reader.
///
///     for (TableRows rows(text); rows.next();)
///         if (rows.problem()) errors.push_back(*rows.problem()); else use(rows.cells(), rows.line());
class TableRows final {
public:
    explicit TableRows(std::string_view text, const TableFormat& format = {});

    /// Goes to the next row. False at the end, and after a breach of a bound that ends the table.
    bool next();
    [[nodiscard]] const std::vector<std::string>& cells() const { return m_cells; }
    /// The row as it is in the text, without its line end.
    [[nodiscard]] std::string_view text() const { return m_row; }
    /// The line on which the row starts, 1 = the first of the text.
    [[nodiscard]] std::size_t line() const { return m_line; }
    /// Error of this row, whose cells must not be used then. The path is "line N".
    [[nodiscard]] const std::optional<Diagnostic>& problem() const { return m_problem; }

private:
    bool nextRow();
    void splitRow();
    void fail(const std::string& message, const std::string& found, const std::string& accepted);

    std::string_view m_rest, m_row;
    TableFormat m_format;
    std::vector<std::string> m_cells;
    std::optional<Diagnostic> m_problem;
    std::size_t m_line = 0, m_nextLine = 1, m_rows = 0;
    bool m_ended = false;
};

/// Goes through the lines of a text that is not a table; each without its line end, with or without a carriage return. Memory: none.
class TextLines final {
public:
    explicit TextLines(std::string_view text) : m_rest(text) {}
    bool next();
    [[nodiscard]] std::string_view text() const { return m_text; }
    [[nodiscard]] std::size_t line() const { return m_line; } ///< 1 = the first

private:
    std::string_view m_rest, m_text;
    std::size_t m_line = 0;
};

/// The first of tab, semicolon and comma that the first line which is neither empty nor a comment has; comma where it has none.
[[nodiscard]] char separatorOf(std::string_view table, char comment = '\0');

/// Words between white space, at most `most` of them; the rest of the line is omitted.
[[nodiscard]] std::vector<std::string_view> words(std::string_view line, std::size_t largest);

/// Selects the rows of a table whose columns have the requested values, each "COLUMN=VALUE".
class RowSelection final {
public:
    explicit RowSelection(std::vector<std::string> requested) : m_requested(std::move(requested)) {}
    /// Whether a row is selected; the first one is the header, which is. Errors: columns that the header does not have.
    [[nodiscard]] Result<bool> takes(const std::vector<std::string>& cells);

private:
    [[nodiscard]] Diagnostics readHeader(const std::vector<std::string>& cells);

    std::vector<std::string> m_requested;
    std::vector<std::pair<std::size_t, std::string>> m_conditions; ///< column, value
    bool m_hasHeader = false;
};

/// The header and the lines of a comma-separated table whose columns have the wanted values, each "COLUMN=VALUE". Errors: columns that
/// are not there, rows that cannot be read.
[[nodiscard]] Result<std::string> selectedRows(std::string_view table, const std::vector<std::string>& requested);

/// How texts are written into a table: so that a spreadsheet may open it, or exactly as they are.
enum class TableText { forSheets, exact };

/// For sheets: without control and bidirectional characters, and with an apostrophe before a leading =, +, - or @, which would begin a
/// formula (OWASP, "CSV injection"). Of texts only, not of numbers; not quoted yet.
[[nodiscard]] std::string tableText(std::string_view text, TableText mode);
/// Quoted where it has a separator of any table, a quote or a line break (RFC 4180).
[[nodiscard]] std::string tableCell(std::string_view cell);
/// One line of quoted cells with its end. TableRows with `quotedLines` reads it back.
[[nodiscard]] std::string tableLine(const std::vector<std::string>& cells, char separator = ',', std::string_view lineEnd = "\n");

} // namespace prism
