// SPDX-License-Identifier: GPL-3.0-or-later
// A log file of any size gives the steps that its text gives, for any split into pieces, packing and selection of rows.
#include "core/insight/follow/wholelog.h"
#include "core/trace/tables.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

/// Longer than one piece of the file.
std::string table(const std::string& lineEnd)
{
    std::string text = "system,step,step_time_s" + lineEnd;
    for (int i = 0; i < 60'000; ++i)
        text += (i % 3 ? "a," : "b,") + std::to_string(i) + "," + std::to_string(5 + i % 7) + lineEnd;
    return text;
}

TEST(WholeLog, APieceEndsAnywhere)
{
    for (const char* lineEnd : {"\n", "\r\n", "\r"})
        for (const bool gzip : {false, true}) {
            const TemporaryFile file("whole.csv", table(lineEnd), gzip);
            const Result<StepLog> read = readStepLogFile(file.path(), {});
            ASSERT_TRUE(read.ok()) << read.errors().front().message;
            EXPECT_EQ(read->lines, 60'001);
            EXPECT_EQ(read->steps(), 60'000U);
            EXPECT_EQ(readStepLogFile(file.path(), {.where = {"system=b"}})->steps(), 20'000U);
        }
}

TEST(WholeLog, WhatIsConvertedIsReadAtOnce)
{
    const TemporaryFile array("array.json", R"([{"step": 1, "step_time": 4.5}, {"step": 2, "step_time": 4.25}])");
    EXPECT_EQ(readStepLogFile(array.path(), {})->steps(), 2U);
    std::string utf16 = "\xFF\xFE";
    for (const char c : std::string("step_time_s\n5\n6\n"))
        (utf16 += c) += '\0';
    EXPECT_EQ(readStepLogFile(TemporaryFile("utf16.log", utf16).path(), {})->steps(), 2U);
    const TemporaryFile large("large.json", "[{" + std::string((64U << 20U) + 1, ' '));
    EXPECT_EQ(readStepLogFile(large.path(), {}).errors().at(0).accepted, "at most 64 MiB, or UTF-8 with one step per line");
}

TEST(WholeLog, ErrorsAreReportedWithTheirLine)
{
    const TemporaryFile open("open.csv", "system,step_time_s\na,5\n\"a,6\n");
    EXPECT_EQ(readStepLogFile(open.path(), {.where = {"system=a"}}).errors().at(0).path, "line 3");
    EXPECT_EQ(readStepLogFile(open.path(), {.where = {"host=a"}}).errors().at(0).found, "host=a");
    const TemporaryFile whole("cut.csv.gz", table("\n"), true);
    std::filesystem::resize_file(whole.path(), std::filesystem::file_size(whole.path()) / 2);
    EXPECT_EQ(readStepLogFile(whole.path(), {}).errors().at(0).message, "The file cannot be decompressed: it is damaged or cut off.");
}

TEST(WholeLog, ADocumentLongerThanAPieceIsReadToItsEnd)
{
    std::string text = "[";
    for (int i = 1; i <= 9'000; ++i)
        text += (i > 1 ? ", " : "") + (R"({"step": )" + std::to_string(i) + R"(, "step_time": )" + std::to_string(4 + i % 3) + ".5}");
    const TemporaryFile file("long.json", text + "]");
    const Result<StepLog> read = readStepLogFile(file.path(), {});
    ASSERT_TRUE(read.ok());
    ASSERT_EQ(read->steps(), 9'000U);
    EXPECT_EQ(read->runs[0].steps.back().number, 9'000);
    EXPECT_EQ(read->runs[0].steps.back().seconds, 4.5);
}

} // namespace
} // namespace prism
