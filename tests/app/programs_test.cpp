// SPDX-License-Identifier: GPL-3.0-or-later
// Both programs as they are linked: hardened, and without any way to a network.
#include "elffile.h"
#include "prism_programs.h"
#include "run_cli.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace prism::test {
namespace {

struct Programs : testing::TestWithParam<const char*> {
    void SetUp() override
    {
        if (*GetParam() == '\0')
            GTEST_SKIP() << "built without the window";
    }
    ElfFile program{slurp(GetParam())};
};

TEST_P(Programs, AreHardened)
{
    EXPECT_TRUE(program.isPositionIndependentProgram()) << "PIE";
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

INSTANTIATE_TEST_SUITE_P(Built, Programs, testing::Values(PRISM_CLI, PRISM_EXPLORER));

} // namespace
} // namespace prism::test
