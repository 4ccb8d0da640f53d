// SPDX-License-Identifier: GPL-3.0-or-later
// Records of logs by hand: numbers of event files, nested objects, series of golden values, jobs by turns, and bounds of collective tables.
#include "core/measured/collectivetables.h"
#include "core/measured/eventlines.h"
#include "core/measured/steplog.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace prism {
namespace {

template <typename T>
std::string littleBytes(T value)
{
    std::string out(sizeof value, '\0');
    std::memcpy(out.data(), &value, sizeof value);
    return out;
}

/// CRC-32C bit by bit, masked as TFRecord has it.
std::string maskedSum(const std::string& of)
{
    std::uint32_t crc = ~std::uint32_t{0};
    for (const char c : of) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
    }
    crc = ~crc;
    return littleBytes(((crc >> 15U) | (crc << 17U)) + 0xa282ead8U);
}

std::string recordOf(const std::string& data)
{
    const std::string length = littleBytes(static_cast<std::uint64_t>(data.size()));
    return length + maskedSum(length) + data + maskedSum(data);
}

/// A field of bytes; a field of eight or of four bytes.
std::string part(int field, const std::string& bytes)
{
    return std::string(1, static_cast<char>(8 * field + 2)) + static_cast<char>(bytes.size()) + bytes;
}
std::string fixed(int field, double value)
{
    return std::string(1, static_cast<char>(8 * field + 1)) + littleBytes(value);
}
std::string fixed(int field, float value)
{
    return std::string(1, static_cast<char>(8 * field + 5)) + littleBytes(value);
}

/// The lines of one event with the step's bytes and a value.
std::vector<nlohmann::json> eventOf(const std::string& step, const std::string& value, std::size_t cut = 0)
{
    const std::string data = recordOf(fixed(1, 1.75e9) + "\x10" + step + part(5, part(1, part(1, "t") + value)));
    EventLines lines;
    std::vector<nlohmann::json> out;
    const auto take = [&](std::string_view line) { out.push_back(nlohmann::json::parse(line)); };
    lines.take(std::string_view(data).substr(0, cut), take);
    lines.take(std::string_view(data).substr(cut), take);
    EXPECT_FALSE(lines.isDamaged());
    return out;
}

TEST(EventFileAnswers, NumbersOfSevenBitsAByteAndScalarsOfEitherWidth)
{
    const std::string seven("\x07", 1);
    nlohmann::json event = eventOf(seven, fixed(2, 2.5F)).at(0);
    EXPECT_EQ(event, nlohmann::json({{"step", 7}, {"t", 2.5}, {"wall_time", 1.75e9}}));
    EXPECT_EQ(eventOf("\xAC\x02", fixed(2, 2.5F)).at(0)["step"], 300);        // 0x2C + 2 x 128
    EXPECT_EQ(eventOf("\x80\x80\x01", fixed(2, 2.5F)).at(0)["step"], 16'384); // 128 x 128
    EXPECT_EQ(eventOf("\xFF\xFF\xFF\x7F", fixed(2, 2.5F)).at(0)["step"], 268'435'455);
    for (const int field : {4, 5, 6}) { // content, floats and doubles of a tensor
        EXPECT_EQ(eventOf(seven, part(8, part(field, littleBytes(0.375)))).at(0)["t"], 0.375) << field;
        EXPECT_EQ(eventOf(seven, part(8, part(field, littleBytes(0.625F)))).at(0)["t"], 0.625) << field;
    }
    for (const int field : {3, 7})
        EXPECT_TRUE(eventOf(seven, part(8, part(field, littleBytes(0.375)))).empty()) << field;
    EXPECT_TRUE(eventOf(seven, part(8, part(5, "abc"))).empty()) << "three bytes are not a number";
    EXPECT_TRUE(eventOf(seven, fixed(2, 0.5)).empty()) << "a simple value has four bytes";
    for (const std::size_t cut : {1U, 11U, 12U, 13U, 20U})
        EXPECT_EQ(eventOf(seven, fixed(2, 2.5F), cut).size(), 1U) << "in pieces";
    const std::string data = recordOf("x");
    EXPECT_TRUE(EventLines::isStart(data.substr(0, 12)));
    EXPECT_FALSE(EventLines::isStart(data.substr(0, 11)));
    EXPECT_FALSE(EventLines::isStart("y" + data.substr(1)));
}

TEST(LogRecords, SeriesOfGoldenValuesHaveTheirNumbers)
{
    const auto numbers = [](const std::string& more) {
        std::vector<std::int64_t> out;
        const StepLog log = readStepLog(R"({"iteration-time": {)" + more + R"("values": [12.5, 0.75, 0.5]}})").value();
        for (const LoggedStep& step : log.runs.at(0).steps)
            out.push_back(step.number);
        return out;
    };
    EXPECT_EQ(numbers(R"("start_step": 3, "step_interval": 5, )"), (std::vector<std::int64_t>{3, 8, 13}));
    EXPECT_EQ(numbers(R"("start_step": 4, )"), (std::vector<std::int64_t>{4, 5, 6}));
    EXPECT_EQ(numbers(""), (std::vector<std::int64_t>{0, 1, 2}));
    // A list of points: wall time, step, value.
    const StepLog points = readStepLog("[[100, 7, 2.5], [104, 8, 3.5]]").value();
    ASSERT_EQ(points.runs.at(0).steps.size(), 2U);
    const LoggedStep& second = points.runs[0].steps[1];
    EXPECT_EQ(std::tuple(second.number, second.seconds, second.pauseSeconds), std::tuple(8, 3.5, 0.5));
}

TEST(LogRecords, FieldsOfObjectsInObjectsInObjects)
{
    const auto isRead = [](const std::string& object) { return readStepLog(object + "\n").ok(); };
    EXPECT_TRUE(isRead(R"({"a": {"b": {"c": {"step_time_s": 2}}}, "step": 1})"));
    EXPECT_FALSE(isRead(R"({"a": {"b": {"c": {"d": {"step_time_s": 2}}}}, "step": 1})"));
}

TEST(LogRecords, EightJobsMayWriteByTurns)
{
    // Each job begins a thousand steps before the one before it, so that its first step begins a run.
    const auto stepsOfFirst = [](int jobs) {
        std::string text;
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < jobs; ++j)
                text += "completed step: " + std::to_string(10'000 - 1'000 * j + k) + ", seconds: 4, loss: 9\n";
        const StepLog log = readStepLog(text).value();
        return log.runs.at(0).steps.size();
    };
    EXPECT_EQ(stepsOfFirst(2), 3U);
    EXPECT_EQ(stepsOfFirst(8), 3U);
    EXPECT_EQ(stepsOfFirst(9), 1U) << "the search has ended";
}

/// A run that is followed on once may be an accident; from the second time on the log is that of several jobs.
TEST(LogRecords, SeveralJobsAreNamedFromTheSecondReturnOn)
{
    const auto isNamed = [](std::initializer_list<int> numbers) {
        std::string text;
        for (const int number : numbers)
            text += "completed step: " + std::to_string(number) + ", seconds: 4, loss: 9\n";
        return reportText(readStepLog(text).value()).find("several jobs write into this log") != std::string::npos;
    };
    EXPECT_FALSE(isNamed({9'000, 9'001, 100, 101, 102}));
    EXPECT_FALSE(isNamed({9'000, 9'001, 100, 101, 9'002}));
    EXPECT_TRUE(isNamed({9'000, 9'001, 100, 101, 9'002, 102}));
}

TEST(LogRecords, AJobThatWritesEveryFewSteps)
{
    // Every tenth step of two jobs by turns: 10 after 10 is the next one too.
    std::string text;
    for (int k = 1; k <= 4; ++k)
        text += "completed step: " + std::to_string(500 + 10 * k) + ", seconds: 4, loss: 9\ncompleted step: " + std::to_string(10 * k)
                + ", seconds: 7, loss: 9\n";
    const StepLog log = readStepLog(text).value();
    ASSERT_GE(log.runs.size(), 2U);
    for (const LoggedRun& run : log.runs)
        for (const LoggedStep& step : run.steps)
            EXPECT_EQ(step.seconds, step.number > 500 ? 4 : 7);
}

TEST(CollectiveTableLimits, RanksOfASummaryAndOfAFileName)
{
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("prism-collectives-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const auto read = [&](const std::string& name, const std::string& text) {
        std::ofstream(folder / name) << text;
        const Result<CollectiveFolder> found = readCollectiveFolder(folder.string());
        std::filesystem::remove(folder / name);
        return found;
    };
    const std::string summary = "tracelens_mi300x_llama70b_fsdp_nccl_summary_implicit_sync.csv", head = "name,a,b,c,ranks,mib,d,us\n";
    EXPECT_TRUE(read(summary, head + "other,,,,1024,0.5,,30\n").ok());
    EXPECT_FALSE(read(summary, head + "other,,,,1025,0.5,,30\n").ok());
    const CollectiveFolder one = read(summary, head + "other,,,,1,0.5,,30\nother,,,,16,3,,250\n").value();
    ASSERT_EQ(one.tables.at(0).rows.size(), 1U) << "one rank alone reduces nothing";
    EXPECT_DOUBLE_EQ(one.tables[0].rows[0].bytes, 3 * 1'048'576);
    EXPECT_DOUBLE_EQ(one.tables[0].rows[0].seconds, 250e-6);
    const CollectiveFolder named = read("vtrain_a100_allreduce_16.csv", "size,count,type,time\n4096,256,float,7500\n").value();
    EXPECT_EQ(named.tables.at(0).rows.at(0).group.size, 16);
    EXPECT_DOUBLE_EQ(named.tables[0].rows[0].bytes, 4096);
    EXPECT_DOUBLE_EQ(named.tables[0].rows[0].seconds, 7.5e-6);
    EXPECT_FALSE(read("vtrain_a100_allreduce_16.csv", "size,count,type,time\n4096,256,float\n").ok()) << "three cells";
    std::filesystem::remove_all(folder);
}

} // namespace
} // namespace prism
