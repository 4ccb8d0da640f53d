// SPDX-License-Identifier: GPL-3.0-or-later
// Both programs and the Python module as they are linked: hardened, and without any way to a network.
#include "elffile.h"
#include "prism_paths.h"
#include "prism_programs.h"
#include "run_cli.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

namespace prism::test {
namespace {

struct Programs : testing::TestWithParam<const char*> {
    void SetUp() override
    {
        if (*GetParam() == '\0')
            GTEST_SKIP() << "built without it";
    }
    ElfFile program{slurp(GetParam())};
};

TEST_P(Programs, AreHardened)
{
    EXPECT_TRUE(std::string(GetParam()) == PRISM_MODULE ? program.isLibrary() : program.isPositionIndependentProgram()) << "PIE";
    EXPECT_FALSE(program.hasExecutableStack());
    if (!PRISM_IS_HARDENED)
        GTEST_SKIP() << "built without PRISM_HARDENED, or with sanitizers";
    EXPECT_TRUE(program.hasFullRelro());
    EXPECT_TRUE(program.taken().contains("__stack_chk_fail")) << "stack protector";
    const auto checked = [](const std::string& name) { return name.starts_with("__") && name.ends_with("_chk"); };
    EXPECT_TRUE(std::any_of(program.taken().begin(), program.taken().end(), checked)) << "FORTIFY";
}

TEST_P(Programs, LinkNoNetwork)
{
    EXPECT_FALSE(program.taken().empty());
    constexpr std::array kCalls = {"socket",        "connect",       "bind",   "listen",   "accept",  "accept4", "getaddrinfo",
                                   "gethostbyname", "gethostbyaddr", "sendto", "recvfrom", "sendmsg", "recvmsg", "getnameinfo"};
    for (const char* call : kCalls)
        EXPECT_FALSE(program.taken().contains(call)) << call;
    for (const std::string& library : program.libraries())
        for (const char* network : {"Network", "WebSockets", "curl", "ssl", "nghttp", "ssh"})
            EXPECT_EQ(library.find(network), std::string::npos) << library;
    for (const std::string& name : program.taken())
        EXPECT_EQ(name.find("QNetwork"), std::string::npos) << name;
}

TEST(InstalledProgram, LooksForPresetsInItsOwnFolderOnly)
{
    namespace fs = std::filesystem;
    const fs::path elsewhere = scratch() / "away", nextTo = fs::path(PRISM_CLI).parent_path().parent_path() / "share";
    fs::remove_all(elsewhere);
    fs::create_directories(elsewhere / "bin");
    fs::copy_file(PRISM_CLI, elsewhere / "bin/prism-cli");
    const std::string command =
        "cd / && env -u PRISM_PRESETS " + (elsewhere / "bin/prism-cli").string() + " check sample-baseline >/dev/null 2>&1";
    EXPECT_NE(std::system(command.c_str()), 0) << "presets were found without being installed";
    fs::create_directory_symlink(nextTo, elsewhere / "share");
    EXPECT_EQ(std::system(command.c_str()), 0);
    fs::remove_all(elsewhere);
}

INSTANTIATE_TEST_SUITE_P(Built, Programs, testing::Values(PRISM_CLI, PRISM_EXPLORER, PRISM_MODULE));

TEST(ManPage, NamesEveryOptionOfTheWindow)
{
    if (*PRISM_EXPLORER == '\0')
        GTEST_SKIP() << "built without the window";
    const auto out = scratch() / "options";
    ASSERT_EQ(std::system(("QT_QPA_PLATFORM=offscreen " PRISM_EXPLORER " --help >" + out.string()).c_str()), 0);
    const std::string page = slurp(PRISM_SOURCE_DIR "/packaging/linux/prism-explorer.1");
    std::istringstream words(slurp(out));
    int options = 0;
    for (std::string word; words >> word;)
        if (word.starts_with("--") && word.size() > 2 && word != "--help-all") { // Qt's own, like --help
            std::string name = word.substr(2, word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", 2) - 2);
            for (std::size_t at = 0; (at = name.find('-', at)) != std::string::npos; at += 2)
                name.insert(at, 1, '\\'); // as roff writes a hyphen
            EXPECT_NE(page.find("\\-\\-" + name + "\\f"), std::string::npos) << word;
            ++options;
        }
    EXPECT_GT(options, 10);
}

TEST(Terminal, TextsOfAFileDoNotSteerItThroughTheWindowEither)
{
    if (*PRISM_EXPLORER == '\0')
        GTEST_SKIP() << "built without the window";
    const auto file = scratch() / "esc.json", out = scratch() / "steered";
    std::ofstream(file) << R"({"version": 1, "name": "s", "model": {"preset": "llama2-7b", "\u001b[31mred\u202e\u009b": 1}})";
    const std::string command = "QT_QPA_PLATFORM=offscreen " PRISM_EXPLORER " --report " + file.string() + " --output "
                                + (scratch() / "report.pdf").string() + " >" + out.string() + " 2>&1";
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
    EXPECT_NE(slurp(out).find("\\u001b[31mred\\u202e\\u009b"), std::string::npos) << slurp(out);
    for (const char* bytes : {"\x1b", "\xc2\x9b", "\xe2\x80\xae"})
        EXPECT_EQ(slurp(out).find(bytes), std::string::npos);
}

TEST(WithoutADisplay, TheWindowReportsItAndHelpIsThere)
{
    if (*PRISM_EXPLORER == '\0')
        GTEST_SKIP() << "built without the window";
    const auto out = scratch() / "nodisplay";
    const auto run = [&](const std::string& options) {
        const std::string bare = "env -u DISPLAY -u WAYLAND_DISPLAY -u QT_QPA_PLATFORM " PRISM_EXPLORER;
        return WEXITSTATUS(std::system((bare + options + " >" + out.string() + " 2>&1").c_str()));
    };
    EXPECT_EQ(run(" --version"), 0);
    EXPECT_NE(slurp(out).find("prism-explorer"), std::string::npos);
    EXPECT_EQ(run(" -h"), 0);
    EXPECT_EQ(run(""), 1);
    EXPECT_NE(slurp(out).find("there is no display"), std::string::npos);
}

} // namespace
} // namespace prism::test
