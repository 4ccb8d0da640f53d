// SPDX-License-Identifier: GPL-3.0-or-later
// Limits of the base layer just inside and just outside, and known answers of texts and numbers.
#include "core/base/valuetext.h"
#include "core/base/jsontext.h"
#include "core/base/memo.h"
#include "core/base/textfile.h"
#include "core/base/printable.h"
#include "core/base/table.h"
#include "core/base/text.h"
#include "core/base/workers.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <set>
#include <thread>

namespace prism {
namespace {

TEST(JsonLimits, MemoryValuesDepthAndBytesAreCounted)
{
    // 32 bytes a value, 80 more a container, 96 and its letters a key.
    const std::pair<const char*, std::size_t> needed[] = {
        {"[1,-1,1.5,true,null]", 112 + 5 * 32}, {"{\"ab\":1}", 112 + 98 + 32}, {"[[],{}]", 3 * 112}, {"7", 32}};
    for (const auto& [text, bytes] : needed) {
        EXPECT_TRUE(parseJson(text, {.maxMemory = bytes}).ok()) << text;
        EXPECT_FALSE(parseJson(text, {.maxMemory = bytes - 1}).ok()) << text;
    }
    EXPECT_TRUE(parseOrderedJson("{\"ab\":1}", {.maxMemory = 112 + 2 * 98 + 32}).ok()) << "a key is kept twice to be found";
    EXPECT_FALSE(parseOrderedJson("{\"ab\":1}", {.maxMemory = 112 + 2 * 98 + 31}).ok());
    const Diagnostic memory = parseJson("[1]", {.maxMemory = 100}).errors().front();
    EXPECT_EQ(memory.accepted, "at most 0 MiB of memory");
    EXPECT_EQ(parseJson("[" + std::string(200, '['), {.maxDepth = 300, .maxMemory = std::size_t{1} << 14}).errors().front().message,
              "the values need more than 0 MiB of memory");
    EXPECT_TRUE(parseJson("[1,2]", {.maxValues = 3}).ok());
    EXPECT_EQ(parseJson("[1,2]", {.maxValues = 2}).errors().front().message, "more than 2 values");
    EXPECT_TRUE(parseJson("[[1]]", {.maxDepth = 2}).ok());
    EXPECT_EQ(parseJson("[[[1]]]", {.maxDepth = 2}).errors().front().message, "nested deeper than 2 levels");
    EXPECT_TRUE(parseJson("[1,2]", {.maxBytes = 5}).ok());
    EXPECT_EQ(parseJson("[1,2]", {.maxBytes = 4}).errors().front().found, "5 bytes");
    EXPECT_EQ(parseJson("{\n \"a\": 1,\n \"a\": 2}").errors().front().path, "line 3, column 4");
    EXPECT_EQ(parseJson("[1,\n\n x]").errors().front().path, "line 3, column 2");
}

TEST(MemoLimits, AsManyBytesAsItMayHold)
{
    const auto value = [](int x) { return std::make_shared<const int>(x); };
    Memo memo(10);
    memo.keep(ContentHash{1}, value(1), 11);
    EXPECT_EQ(memo.bytes(), 0U);
    memo.keep(ContentHash{2}, value(2), 10);
    EXPECT_EQ(memo.bytes(), 10U);
    memo.keep(ContentHash{2}, value(3), 4);
    EXPECT_EQ(memo.bytes(), 10U) << "it is there already";
    memo.keep(ContentHash{3}, value(3), 4);
    memo.keep(ContentHash{4}, value(4), 6);
    EXPECT_EQ(memo.bytes(), 10U);
    EXPECT_TRUE(memo.find<int>(ContentHash{3}) && memo.find<int>(ContentHash{4}) && !memo.find<int>(ContentHash{2}));
    memo.keep(ContentHash{5}, value(5), 1);
    EXPECT_EQ(memo.bytes(), 7U) << "the one that was not used for longest went";
    EXPECT_TRUE(memo.find<int>(ContentHash{4}) && !memo.find<int>(ContentHash{3}));
    memo.clear();
    EXPECT_EQ(memo.bytes(), 0U);
}

TEST(Text, EditDistancesByHand)
{
    const std::tuple<const char*, const char*, int> known[] = {
        {"", "", 0},         {"", "abc", 3},   {"abc", "", 3},           {"abc", "abc", 0}, {"ab", "ba", 1},
        {"abcd", "acbd", 1}, {"a", "b", 1},    {"kitten", "sitting", 3}, {"abc", "ca", 3},  {"ab", "aab", 1},
        {"xab", "xba", 1},   {"ba", "xab", 2}, {"abab", "baba", 2},      {"aab", "aba", 1}, {"flaw", "lawn", 2}};
    for (const auto& [a, b, distance] : known) {
        EXPECT_EQ(editDistance(a, b), distance) << a << ' ' << b;
        EXPECT_EQ(editDistance(b, a), distance) << b << ' ' << a;
    }
    EXPECT_EQ(editDistance(std::string(64, 'a') + "b", std::string(64, 'a') + "c"), 0) << "64 letters are compared";
    EXPECT_EQ(editDistance(std::string(63, 'a') + "b", std::string(63, 'a') + "c"), 1);
}

TEST(Text, NearestNamesByHand)
{
    const std::vector<std::string> known{"megatron-args", "nemo", "Deepspeed"};
    EXPECT_EQ(nearestName("nemi", known), "nemo"); // one letter in four
    EXPECT_EQ(nearestName("nami", known), "");     // two
    EXPECT_EQ(nearestName("DEEPSPEEDXX", known), "Deepspeed");
    EXPECT_EQ(nearestName("xxpspexd", known), "") << "three letters in eight";
    EXPECT_EQ(nearestName("xeepspexd", known), "Deepspeed");
    EXPECT_EQ(nearestName("mega", known), "megatron-args");
    EXPECT_EQ(nearestName("me", known), "megatron-args");
    EXPECT_EQ(nearestName("m", known), "") << "one letter is not a beginning";
    EXPECT_EQ(nearestName("pre", std::vector<std::string>{"prefix-one", "prefix-two"}), "") << "two begin so";
    EXPECT_EQ(nearestName("a", std::vector<std::string>{"b"}), "b");
    EXPECT_EQ(unknownName("p", "format", "nemi", known).message, "unknown format \"nemi\"; did you mean \"nemo\"?");
    EXPECT_EQ(unknownName("p", "format", std::string(100, 'x'), known).found.size(), 80U);
}

TEST(Text, NumbersAndLists)
{
    const std::pair<double, const char*> numbers[] = {
        {0, "0"}, {-3, "-3"}, {0.1, "0.1"}, {999999999999999, "999999999999999"}, {1e15, "1e+15"}, {-1e15, "-1e+15"}, {2.5, "2.5"}};
    for (const auto& [value, text] : numbers)
        EXPECT_EQ(numberText(value), text);
    EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
    EXPECT_EQ(split("", ','), std::vector<std::string>{""});
    EXPECT_EQ(joined(std::vector<std::string>{"a", "b"}, ", "), "a, b");
    EXPECT_EQ(trimmed(" \ta b\n"), "a b");
    EXPECT_EQ(integerFromText(" +7 "), 7);
    EXPECT_EQ(integerFromText("-7"), -7);
    EXPECT_FALSE(integerFromText("7.0"));
    EXPECT_FALSE(integerFromText("9223372036854775808"));
    EXPECT_EQ(doubleFromText("+2.5e1"), 25);
    EXPECT_FALSE(doubleFromText("inf"));
    EXPECT_FALSE(doubleFromText("1x"));
    EXPECT_EQ(words(" a  b\tc ", 2), (std::vector<std::string_view>{"a", "b"}));
    EXPECT_EQ(words(" a  b\tc ", 9).size(), 3U);
    EXPECT_TRUE(words("  ", 9).empty());
}

TEST(TableLimits, RowsBytesAndColumns)
{
    const auto problems = [](std::string_view text, const TableLimits& limits) {
        std::vector<std::string> found;
        for (TableRows rows(text, {.limits = limits}); rows.next();)
            found.push_back(rows.problem() ? rows.problem()->message : "");
        return found;
    };
    using List = std::vector<std::string>;
    EXPECT_EQ(problems("a\nb\n", {.maxRows = 2}), (List{"", ""}));
    EXPECT_EQ(problems("a\nb\nc\nd\n", {.maxRows = 2}), (List{"", "", "The table has too many rows."}));
    EXPECT_EQ(problems("abc\nabcd\n", {.maxRowBytes = 3}), (List{"", "The line is too long."}));
    EXPECT_EQ(problems("a,b\na,b,c\n", {.maxColumns = 2}).size(), 2U);
    EXPECT_EQ(tableLine({" "}), "\" \"\n");
    EXPECT_EQ(tableLine({"a"}), "a\n");
    EXPECT_EQ(tableLine({"", ""}), ",\n");
    EXPECT_EQ(tableLine({"a", "b;c"}, ';', "\r\n"), "a;\"b;c\"\r\n");
    EXPECT_EQ(tableCell("a\"b"), "\"a\"\"b\"");
    EXPECT_EQ(selectedRows("x,y\n1,2\n1,3\n2,2\n", {"x=1", "y=2"}).value(), "x,y\n1,2\n");
    EXPECT_EQ(selectedRows("x,y\n1,2\n1\n", {"y=2"}).value(), "x,y\n1,2\n");
    EXPECT_FALSE(selectedRows("x,y\n1,2\n", {"x"}).ok());
    EXPECT_EQ(separatorOf("# a;b\nx\ty;z\n", '#'), '\t');
    EXPECT_EQ(separatorOf("\nx;y\n"), ';');
    EXPECT_EQ(separatorOf("x\ny;z\n"), ',');
}

TEST(FileLimits, BytesAtTheirLimitAndAtAPlace)
{
    const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "prism-limits";
    std::ofstream(path, std::ios::binary) << std::string(100'000, 'a') + "xyz";
    const std::size_t size = 100'003;
    EXPECT_EQ(readBytes(path.string(), size)->size(), size);
    EXPECT_FALSE(readBytes(path.string(), size - 1).ok());
    EXPECT_EQ(readTextFile(path.string(), size)->size(), size);
    EXPECT_FALSE(readTextFile(path.string(), size - 1).ok());
    EXPECT_EQ(readTextFile(path.string(), 65'536).errors().front().accepted, "at most 0 MiB");
    EXPECT_EQ(bytesAt(path.string(), 99'999, 3), "axy");
    EXPECT_EQ(bytesAt(path.string(), 100'001, 10), "yz");
    EXPECT_EQ(bytesAt(path.string(), 200'000, 10), "");
    std::filesystem::remove(path);
    EXPECT_EQ(bytesAt(path.string(), 0, 10), "");
    EXPECT_FALSE(readBytes(path.string()).ok());
}

TEST(MetricLimits, PlacesAndWordsByHand)
{
    EXPECT_EQ(earnedDigits(0, 0), "0.000"); // four digits where nothing is known of the error
    EXPECT_EQ(earnedDigits(0, 0.02), "0.00");
    EXPECT_EQ(earnedDigits(1234.5678, 0), "1,235");
    EXPECT_EQ(earnedDigits(12.345678, 0), "12.35");
    EXPECT_EQ(earnedDigits(123.456789, 1e-9), "123.4568") << "seven digits at most";
    EXPECT_EQ(earnedDigits(284, 33), "280");
    EXPECT_EQ(earnedDigits(284, 3300), "300") << "the first digit stays";
    EXPECT_EQ(earnedDigits(9e14, 1e12), "900,000,000,000,000");
    EXPECT_EQ(earnedDigits(1e15, 1), "1e+15");
    EXPECT_EQ(halfWidthText(280, 33), "30");
    EXPECT_EQ(halfWidthText(123.456789, 0.00004), "< 0.0001");
    EXPECT_EQ(halfWidthText(123.456789, 0.00006), "0.0001");
    EXPECT_EQ(halfWidthText(0, 0.02), "0.02");
    EXPECT_EQ(amountText(999'499), "999,000");
    EXPECT_EQ(amountText(999'501), "1.00 million");
    EXPECT_EQ(amountText(999'501, 4), "999,500");
    EXPECT_EQ(amountText(1'000'000), "1.00 million");
    EXPECT_EQ(amountText(2.5e12), "2.50 trillion");
    EXPECT_EQ(amountText(-3.46e9, 2), "-3.5 billion");
    EXPECT_EQ(amountText(0.01234), "0.0123");
    EXPECT_EQ(amountText(0), "0");
    EXPECT_EQ(probabilityText(0.001), "0.1 %");
    EXPECT_EQ(probabilityText(0.00099), "< 0.1 %");
    EXPECT_EQ(probabilityText(0.999), "99.9 %");
    EXPECT_EQ(probabilityText(0.9991), "> 99.9 %");
    EXPECT_EQ(relativeChange(0.012, 0.004), "+1.2 ± 0.4 %");
    EXPECT_EQ(relativeChange(-0.012, 0), "-1.200 %");
    EXPECT_EQ(relativeChange(0, 0.1), "0 ± 10 %");
    EXPECT_EQ(relativeChange(8.99, 0.01).back(), '%');
    EXPECT_EQ(relativeChange(9, 0.01), "10.00 ± 0.01 times");
}

TEST(PrintableLimits, CodePointsAtTheEdgesOfTheirRanges)
{
    const auto shown = [](std::string_view text) { return printable(text, 100); };
    for (const char* text :
         {"\x20", "\x7E", "\xC2\xA0", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"})
        EXPECT_EQ(shown(text), text);
    const std::pair<const char*, const char*> escaped[] = {{"\x1F", "\\u001f"},
                                                           {"\x7F", "\\u007f"},
                                                           {"\xC2\x80", "\\u0080"},
                                                           {"\xC2\x9F", "\\u009f"},
                                                           {"\xD8\x9C", "\\u061c"},
                                                           {"\xE2\x80\x8E", "\\u200e"},
                                                           {"\xE2\x80\x8F", "\\u200f"},
                                                           {"\xE2\x80\xA8", "\\u2028"},
                                                           {"\xE2\x80\xA9", "\\u2029"},
                                                           {"\xE2\x80\xAA", "\\u202a"},
                                                           {"\xE2\x80\xAE", "\\u202e"},
                                                           {"\xE2\x81\xA6", "\\u2066"},
                                                           {"\xE2\x81\xA9", "\\u2069"},
                                                           {"\xC1\xBF", "\\xc1\\xbf"},
                                                           {"\xE0\x9F\xBF", "\\xe0\\x9f\\xbf"},
                                                           {"\xED\xA0\x80", "\\xed\\xa0\\x80"},
                                                           {"\xF0\x8F\xBF\xBF", "\\xf0\\x8f\\xbf\\xbf"},
                                                           {"\xF4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
                                                           {"\xF5", "\\xf5"},
                                                           {"\x80", "\\x80"},
                                                           {"\xE2\x80", "\\xe2\\x80"}};
    for (const auto& [text, expected] : escaped)
        EXPECT_EQ(shown(text), expected);
    for (const char* text : {"\xE2\x80\x8D", "\xE2\x80\x90", "\xE2\x80\xA7", "\xE2\x80\xAF", "\xE2\x81\xA5", "\xE2\x81\xAA", "\xD8\x9B"})
        EXPECT_EQ(shown(text), text) << "except the marks that turn the direction";
    EXPECT_EQ(printable("abcd", 4), "abcd");
    EXPECT_EQ(printable("abcde", 4), "abcd...");
    EXPECT_TRUE(isHostName(std::string(253, 'a')));
    EXPECT_FALSE(isHostName(std::string(254, 'a')));
    for (const char* name : {"aZ", "09", "a.b-c_d", "9"})
        EXPECT_TRUE(isHostName(name)) << name;
    for (const char* name : {"", "-a", ".a", "a b", "a/b", "a:b", "a@b", "a[b", "a`b", "a{b"})
        EXPECT_FALSE(isHostName(name)) << name;
}

TEST(Workers, AsManyThreadsAsThereAreItems)
{
    const auto threads = [](int requested, std::size_t items) {
        std::atomic<int> calls = 0, callers = 0;
        onWorkers(requested, items, [&](bool isCaller) {
            ++calls;
            callers += isCaller ? 1 : 0;
        });
        EXPECT_EQ(callers, 1);
        return calls.load();
    };
    EXPECT_EQ(threads(1, 10), 1);
    EXPECT_EQ(threads(3, 10), 3);
    EXPECT_EQ(threads(8, 2), 2);
    EXPECT_EQ(threads(3, 0), 1);
    EXPECT_EQ(threads(0, 1000), static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
}

} // namespace
} // namespace prism
