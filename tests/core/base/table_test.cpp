// SPDX-License-Identifier: GPL-3.0-or-later
// The table reader: what RFC 4180 allows, what is rejected, and that bounds hold.
#include "core/base/table.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows all(std::string_view text, const TableFormat& format = {})
{
    Rows rows;
    for (TableRows table(text, format); table.next();)
        rows.push_back(table.problem() ? std::vector<std::string>{table.problem()->path + ": " + table.problem()->message} : table.cells());
    return rows;
}

TEST(Table, CellsQuotesAndLineEnds)
{
    EXPECT_EQ(all("a,b\r\nc,\n\n,d"), (Rows{{"a", "b"}, {"c", ""}, {"", "d"}}));
    EXPECT_EQ(all("\"a,b\",\"say \"\"hi\"\"\",\"\"\n"), (Rows{{"a,b", "say \"hi\"", ""}}));
    EXPECT_EQ(all("5\" disk,x\n"), (Rows{{"5\" disk", "x"}})) << "a quote inside a cell is a character";
    EXPECT_EQ(all("\xEF\xBB\xBF"
                  "a;b\n",
                  {.separator = ';'}),
              (Rows{{"a", "b"}}));
    EXPECT_EQ(all(" a , \"b \" \n#c\n", {.comment = '#', .trim = true}), (Rows{{"a", "b "}}));
    EXPECT_TRUE(all("").empty());
}

TEST(Table, LinesAreNumberedAsInTheFile)
{
    TableRows rows("a,\"x\ny\"\n\n# no\nb,c\n", {.comment = '#', .quotedLines = true});
    ASSERT_TRUE(rows.next());
    EXPECT_EQ(rows.cells(), (std::vector<std::string>{"a", "x\ny"}));
    EXPECT_EQ(rows.line(), 1U);
    ASSERT_TRUE(rows.next());
    EXPECT_EQ(rows.line(), 5U);
    EXPECT_EQ(rows.text(), "b,c");
    EXPECT_FALSE(rows.next());
}

TEST(Table, WhatIsWrittenComesBack)
{
    const Rows rows = {{"a", "b,c", "\"", "x\ny\r\n", "", " \xC3\xBC ", " \"q\" "}, {"", ""}, {"last"}};
    std::string text;
    for (const auto& row : rows)
        text += tableLine(row);
    EXPECT_EQ(all(text, {.quotedLines = true}), rows);
}

TEST(Table, TextsForSheetsAreNoFormulasAndSteerNothing)
{
    const auto sheet = [](std::string_view text) { return tableText(text, TableText::forSheets); };
    EXPECT_EQ(sheet("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
    for (const char* text : {"+1", "-1", "@SUM(A1)", "=1"})
        EXPECT_EQ(sheet(text), std::string("'") + text);
    EXPECT_EQ(sheet("\t=1"), "'=1") << "controls go first";
    EXPECT_EQ(sheet(""), "");
    EXPECT_EQ(sheet("\t"), "");
    EXPECT_EQ(sheet("a\x1B[31m\nb\x7F\xC2\x9B"), "a[31mb");
    EXPECT_EQ(sheet("\xE2\x80\xAE"
                    "a\xD8\x9C\xE2\x81\xA6\xE2\x80\x8F"),
              "a")
        << "bidirectional characters";
    EXPECT_EQ(sheet("TP8 & PP16, p95 < 7 s"), "TP8 & PP16, p95 < 7 s");
    EXPECT_EQ(sheet("\xFF"), "\xEF\xBF\xBD");
    EXPECT_EQ(tableText("\t=1\xE2\x80\xAE", TableText::exact), "\t=1\xE2\x80\xAE");
    EXPECT_EQ(tableLine({"a;b", "c", "d\te"}, '\t', "\r\n"), "\"a;b\"\tc\t\"d\te\"\r\n");
}

TEST(Table, ErrorsAreReportedByLineAndTheOthersAreRead)
{
    const TableLimits limits = {.maxRows = 4, .maxColumns = 3, .maxRowBytes = 20};
    EXPECT_EQ(all("a,\"b\n1,2,3,4\n" + std::string(21, 'x') + "\nx,y\nz\nz\n", {.limits = limits}),
              (Rows{{"line 1: A quote is not closed."},
                    {"line 2: The line has too many cells."},
                    {"line 3: The line is too long."},
                    {"x", "y"},
                    {"line 5: The table has too many rows."}}));
}

TEST(Table, AMegabyteOfSeparatorsOrQuotesCostsNoMemory)
{
    EXPECT_EQ(all(std::string(std::size_t{1} << 20, ',')), (Rows{{"line 1: The line has too many cells."}}));
    std::string quotes(std::size_t{1} << 20, '"');
    quotes += "\nx\n";
    EXPECT_EQ(all(quotes).size(), 2U);
    EXPECT_EQ(all(std::string(500'000, ' ') + std::string(500'000, '"')).size(), 1U) << "and no quadratic time";
}

TEST(Table, SelectsRowsByTheirColumns)
{
    const Result<std::string> rows = selectedRows("op,n\nsum,1\n\"a,b\",2\nsum,3\n", {"op=sum"});
    ASSERT_TRUE(rows.ok());
    EXPECT_EQ(*rows, "op,n\nsum,1\nsum,3\n");
    EXPECT_EQ(selectedRows("op\n", {"of=x"}).errors().front().found, "of=x");
    EXPECT_FALSE(selectedRows("op\n", {"op"}).ok());
}

TEST(Table, TheSeparatorIsSeenInTheFirstLine)
{
    EXPECT_EQ(separatorOf("# a\tb\n\na;b,c\n", '#'), ';');
    EXPECT_EQ(separatorOf("a,b\tc\n"), '\t');
    EXPECT_EQ(separatorOf("a b\n"), ',');
}

TEST(TextLines, GoThroughTextsWithAndWithoutAnEnd)
{
    std::string seen;
    for (TextLines lines("a\r\n\nb"); lines.next();)
        seen += std::to_string(lines.line()) + std::string(lines.text()) + "|";
    EXPECT_EQ(seen, "1a|2|3b|");
    EXPECT_EQ(words("  a\tbb  c ", 2), (std::vector<std::string_view>{"a", "bb"}));
    EXPECT_EQ(words("ab c", 3), (std::vector<std::string_view>{"ab", "c"}));
}

} // namespace
} // namespace prism
