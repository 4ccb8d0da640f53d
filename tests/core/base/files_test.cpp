// SPDX-License-Identifier: GPL-3.0-or-later
// Whole files in and out: gzip and bounds, links, devices, pipes, full disks, and that nothing is left behind.
#include "core/base/outputfile.h"
#include "core/base/textfile.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace prism {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
protected:
    Files() : folder(fs::path(testing::TempDir()) / ("files_" + std::to_string(getpid()))) { fs::create_directories(folder); }
    ~Files() override { fs::remove_all(folder); }
    [[nodiscard]] std::string at(const std::string& name) const { return (folder / name).string(); }
    [[nodiscard]] static std::string content(const std::string& path)
    {
        std::ostringstream text;
        text << std::ifstream(path, std::ios::binary).rdbuf();
        return text.str();
    }
    [[nodiscard]] std::size_t entries() const
    {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }
    fs::path folder;
};

TEST_F(Files, ReadsPlainAndGzip)
{
    ASSERT_TRUE(writeFile(at("plain"), "a\nb").empty());
    EXPECT_EQ(*readTextFile(at("plain")), "a\nb");
    const gzFile gz = gzopen(at("x.gz").c_str(), "wb");
    const std::string zeros(std::size_t{3} << 20, '0');
    ASSERT_EQ(gzwrite(gz, zeros.data(), static_cast<unsigned>(zeros.size())), static_cast<int>(zeros.size()));
    ASSERT_EQ(gzclose(gz), Z_OK);
    EXPECT_EQ(readTextFile(at("x.gz"))->size(), zeros.size());
    EXPECT_EQ(readTextFile(at("x.gz"), std::size_t{2} << 20).errors().front().message, "The file is too large.")
        << "a small file that becomes large";
    fs::resize_file(at("x.gz"), fs::file_size(at("x.gz")) / 2);
    EXPECT_NE(readTextFile(at("x.gz")).errors().front().message.find("damaged or cut off"), std::string::npos);
}

TEST_F(Files, ReportsWhatWritingWouldReplace)
{
    ASSERT_TRUE(writeFile(at("in"), "a").empty());
    fs::create_symlink("in", at("link"));
    fs::create_hard_link(at("in"), at("twin"));
    fs::create_directory(at("below"));
    EXPECT_TRUE(wouldReplace(at("in"), at("in")));
    EXPECT_TRUE(wouldReplace(at("below/../in"), at("in")));
    EXPECT_TRUE(wouldReplace(at("in"), at("link")));
    EXPECT_TRUE(wouldReplace(at("twin"), at("in")));
    EXPECT_TRUE(wouldReplace(at("in"), folder.string())) << "a file of the folder that is read";
    EXPECT_FALSE(wouldReplace(at("new"), folder.string())) << "a new file in it takes no one's place";
    EXPECT_FALSE(wouldReplace(at("in"), at("below")));
    EXPECT_FALSE(wouldReplace(at("new"), at("new")));
    EXPECT_FALSE(wouldReplace(at("below"), at("below")));
    EXPECT_FALSE(wouldReplace("/dev/null", "/dev/null"));
    EXPECT_FALSE(wouldReplace("", at("in")));
}

TEST_F(Files, ReadsWhatPowerShellWrites)
{
    using namespace std::string_literals;
    // "a\n", U+00E9, U+20AC and U+1F600 (a pair), then a lone half of a pair.
    ASSERT_TRUE(writeFile(at("little"), "\xFF\xFE"
                                        "a\0\n\0\xE9\0\xAC\x20\x3D\xD8\x00\xDE\x3D\xD8"s)
                    .empty());
    ASSERT_TRUE(writeFile(at("big"), "\xFE\xFF"
                                     "\0a\0\n\0\xE9\x20\xAC\xD8\x3D\xDE\x00\xD8\x3D"s)
                    .empty());
    const std::string expected = "a\n\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xEF\xBF\xBD";
    EXPECT_EQ(*readTextFile(at("little")), expected);
    EXPECT_EQ(*readTextFile(at("big")), expected);
}

TEST_F(Files, NamesAnArchiveThatIsNotRead)
{
    using namespace std::string_literals;
    ASSERT_TRUE(writeFile(at("a.zip"), "PK\x03\x04rest").empty());
    ASSERT_TRUE(writeFile(at("a.zst"), "\x28\xB5\x2F\xFDrest").empty());
    ASSERT_TRUE(writeFile(at("a.xz"), "\xFD"
                                      "7zXZ\0rest"s)
                    .empty());
    ASSERT_TRUE(writeFile(at("words"), "BZh and PK are words").empty());
    EXPECT_EQ(readTextFile(at("a.zip")).errors().front().message, "The file is packed as zip: unpack it first.");
    EXPECT_EQ(readTextFile(at("a.zst")).errors().front().message, "The file is packed as zstd: unpack it first.");
    EXPECT_EQ(readTextFile(at("a.xz")).errors().front().message, "The file is packed as xz: unpack it first.");
    EXPECT_EQ(*readTextFile(at("words")), "BZh and PK are words");
}

TEST_F(Files, ReportsWhatCannotBeRead)
{
    EXPECT_FALSE(readTextFile(at("none")).ok());
    EXPECT_EQ(readTextFile(folder.string()).errors().front().message, "This is a folder, not a file.");
    EXPECT_EQ(readTextFile("/dev/zero", std::size_t{1} << 20).errors().front().message, "The file is too large.");
}

TEST_F(Files, ReplacesAFileAndKeepsItsPermissions)
{
    ASSERT_TRUE(writeFile(at("out"), "old").empty());
    fs::permissions(at("out"), fs::perms::owner_read | fs::perms::owner_write);
    ASSERT_TRUE(writeFile(at("out"), "new").empty());
    EXPECT_EQ(content(at("out")), "new");
    EXPECT_EQ(fs::status(at("out")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, FollowsNoLinks)
{
    std::ofstream(at("victim")) << "precious";
    fs::create_symlink("victim", at("out.part")); // what the writer of earlier versions followed
    fs::create_symlink("victim", at("out"));
    ASSERT_TRUE(writeFile(at("out"), "report").empty());
    EXPECT_EQ(content(at("victim")), "precious");
    EXPECT_TRUE(fs::is_symlink(at("out.part")));
    EXPECT_FALSE(fs::is_symlink(at("out")));
    EXPECT_EQ(content(at("out")), "report");
}

TEST_F(Files, WritesPipesAndDevicesAsTheyAre)
{
    ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
    const int reader = open(at("pipe").c_str(), O_RDONLY | O_NONBLOCK);
    ASSERT_TRUE(writeFile(at("pipe"), "through").empty());
    std::string got(7, ' ');
    EXPECT_EQ(read(reader, got.data(), got.size()), 7);
    EXPECT_EQ(got, "through");
    close(reader);
    EXPECT_TRUE(fs::is_fifo(at("pipe")));
    EXPECT_TRUE(writeFile("/dev/null", "x").empty());
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    const Diagnostics full = writeFile("/dev/full", std::string(100'000, 'x'));
    ASSERT_EQ(full.size(), 1U);
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(Files, LeavesNothingBehindWhereItFails)
{
    fs::create_directory(at("folder"));
    EXPECT_FALSE(writeFile(at("folder"), "x").empty());
    EXPECT_FALSE(writeFile(at("none/x"), "x").empty());
    std::ofstream(at("old")) << "old";
    // A file that may not grow further is what a full disk looks like to the writer.
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit small = before;
    small.rlim_cur = 1000;
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const Diagnostics problems = writeFile(at("old"), std::string(100'000, 'x'));
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    (void)std::signal(SIGXFSZ, handler);
    EXPECT_EQ(problems.size(), 1U);
    EXPECT_EQ(content(at("old")), "old");
    EXPECT_EQ(entries(), 2U);
}

} // namespace
} // namespace prism
