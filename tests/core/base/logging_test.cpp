// SPDX-License-Identifier: GPL-3.0-or-later
// The log: nothing is written by default; a requested file gets every line.
#include "core/base/logging.h"

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace prism {
namespace {

std::string content(const std::filesystem::path& file)
{
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

TEST(Logging, WritesToTheFileThatWasRequestedAndNowhereBefore)
{
    const auto file = std::filesystem::temp_directory_path() / ("prism-log-" + std::to_string(::getpid()));
    logQuietly();
    spdlog::debug("lost");
    ASSERT_TRUE(logToFile(file.string()).ok());
    spdlog::debug("kept {}", 7);
    EXPECT_EQ(content(file).find("lost"), std::string::npos);
    EXPECT_NE(content(file).find("debug kept 7"), std::string::npos);
    logQuietly();
    spdlog::debug("lost again");
    EXPECT_EQ(content(file).find("lost again"), std::string::npos);
    std::filesystem::remove(file);
}

TEST(Logging, AFolderThatIsNotThereIsAnError)
{
    logQuietly();
    const auto result = logToFile("/proc/no/such/folder/log");
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.errors().front().path, "/proc/no/such/folder/log");
    logQuietly();
}

} // namespace
} // namespace prism
