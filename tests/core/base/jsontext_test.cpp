// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON parser of documents: limits, places, and memory that stays bounded also when it fails.
#include "core/base/jsontext.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace prism {
namespace {

TEST(JsonText, DepthIsBounded)
{
    const std::string open(200'000, '[');
    for (const Diagnostics& errors : {parseJson(open).errors(), parseOrderedJson(open).errors()}) {
        ASSERT_EQ(errors.size(), 1U);
        EXPECT_EQ(errors.front().message, "nested deeper than 64 levels");
        EXPECT_EQ(errors.front().path, "line 1, column 65");
    }
}

TEST(JsonText, ErrorsStaySmallHoweverLongTheText)
{
    const std::string blank(std::size_t{4} << 20, '\n');
    for (const std::string& text : {blank, "[1" + blank + "x", "{\"a\"" + blank, "\"" + std::string(1 << 20, 'a')}) {
        const Diagnostics errors = parseJson(text).errors();
        ASSERT_EQ(errors.size(), 1U);
        EXPECT_LT(errors.front().message.size(), 200U) << errors.front().message;
        EXPECT_LT(errors.front().accepted.size(), 300U);
    }
    EXPECT_EQ(parseJson("[1,\n\n  x]").errors().front().path, "line 3, column 3");
}

TEST(JsonText, EveryErrorReportsWhereAndWhatIsAccepted)
{
    const std::string deep(70, '[');
    for (const std::string& text :
         {std::string(), std::string("x"), deep, std::string("[1e400]"), std::string(R"({"a":1,"a":2})"), std::string("[1,]"),
          std::string("{\"a\" 1}"), std::string("\x1f\x8b"), std::string("[1] 2"), std::string("[\"\xff\"]")}) {
        const Diagnostics errors = parseJson(text).errors();
        ASSERT_EQ(errors.size(), 1U) << text;
        EXPECT_TRUE(errors.front().path.starts_with("line ")) << text;
        EXPECT_FALSE(errors.front().accepted.empty()) << text;
        EXPECT_FALSE(errors.front().accepted.starts_with("expected")) << errors.front().accepted;
    }
    EXPECT_EQ(parseJson(deep).errors().front().accepted, "at most 64 levels");
    EXPECT_EQ(parseJson("[1,2,3]", {.maxValues = 2}).errors().front().accepted, "at most 2 values");
}

TEST(JsonText, MemoryIsBoundedWhateverTheValuesAre)
{
    std::string objects = "[", keys = "{", strings = "[";
    for (int i = 0; i < 50'000; ++i) {
        objects += "{},";
        keys += "\"k" + std::to_string(i) + "\":1,";
        strings += "\"ten bytes \",";
    }
    for (const std::string& text : {objects + "1]", keys + "\"z\":1}", strings + "1]"}) {
        EXPECT_TRUE(parseJson(text).ok());
        EXPECT_NE(parseJson(text, {.maxMemory = std::size_t{1} << 20}).errors().front().message.find("1 MiB"), std::string::npos);
        EXPECT_FALSE(parseOrderedJson(text, {.maxMemory = std::size_t{1} << 20}).ok());
    }
}

TEST(JsonText, KeepsTheOrderOfKeysWhereRequested)
{
    const auto json = parseOrderedJson("{\"b\": [1, {\"y\": null}], \"a\": \"x\"}");
    ASSERT_TRUE(json.ok());
    EXPECT_EQ(json->dump(), "{\"b\":[1,{\"y\":null}],\"a\":\"x\"}");
    EXPECT_FALSE(parseOrderedJson("{\"b\": 1, \"a\": 2, \"b\": 3}").ok());
}

TEST(JsonText, WhiteSpaceInsideStringsIsKept)
{
    const auto json = parseJson("\xEF\xBB\xBF { \"a  b\" :\n\n [ \"x   y\\\"  z\" , 1 ] } \n");
    ASSERT_TRUE(json.ok());
    EXPECT_EQ(json->dump(), "{\"a  b\":[\"x   y\\\"  z\",1]}");
}

} // namespace
} // namespace prism
