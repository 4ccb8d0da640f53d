// SPDX-License-Identifier: GPL-3.0-or-later
// A study at its limits: the size of an export and of what is shown, the cache of results, lists, copies on a full disk.
#include "core/study/compress.h"
#include "core/study/database.h"
#include "core/study/impl.h"
#include "core/study/openfile.h"
#include "core/study/studyerror.h"
#include "core/study/support.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>

namespace prism::study_test {
namespace {

/// Letters that hardly compress: one of the 64 characters from each look at the generator of Park and Miller (1988).
std::string letters(std::size_t bytes, std::uint64_t seed)
{
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";
    std::string out(bytes, ' ');
    for (char& c : out) {
        seed = seed * 48'271 % 2'147'483'647;
        c = kAlphabet[seed >> 10 & 63U];
    }
    return out;
}

TEST(StudyEdges, ACopyOnAFullDiskIsReportedAsSuch)
{
    const Folder folder;
    std::ofstream(folder / "from") << letters(200'000, 3);
    const auto problem = attempt([&] { copyFile(folder / "from", folder / "whole"); });
    EXPECT_TRUE(problem.empty()) << text(problem);
    EXPECT_EQ(std::filesystem::file_size(folder / "whole"), 200'000U);
    for (const std::size_t bytes : {std::size_t{65'536}, std::size_t{100'000}}) { // a whole number of writes, and part of one
        const SmallFiles full(bytes);
        errno = 0;
        const Diagnostics found = attempt([&] { copyFile(folder / "from", folder / std::to_string(bytes)); });
        ASSERT_EQ(found.size(), 1U) << bytes;
        EXPECT_EQ(found.front().path, study_problem::kDiskFull) << bytes << ": " << text(found);
    }
}

} // namespace
} // namespace prism::study_test
