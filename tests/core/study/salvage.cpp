// SPDX-License-Identifier: GPL-3.0-or-later
// What comes back from a damaged study.
#include "core/study/support_sample.h"
#include "core/study/study.h"
#include "core/study/support.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

using namespace study_test;

TEST(StudySalvage, ASoundFileComesBackWhole)
{
    const Folder folder;
    makeSampleStudy(folder / "a.prism");
    const auto report = salvageStudy(folder / "a.prism", folder / "b.prism", options());
    ASSERT_TRUE(report.ok()) << text(report.errors());
    EXPECT_TRUE(report->losses.empty()) << text(report->losses);
    EXPECT_EQ(report->scenarios, 8);
    EXPECT_TRUE(Study::open(folder / "b.prism", options())->dump().value() == Study::open(folder / "a.prism", options())->dump().value());
}

TEST(StudySalvage, AFullDiskIsNoDamageAndLeavesNothing)
{
    const Folder folder;
    makeSampleStudy(folder / "a.prism");
    const std::size_t size = std::filesystem::file_size(folder / "a.prism");
    for (const std::size_t bytes : {std::size_t{1000}, size / 2, size}) {
        const SmallFiles small(bytes);
        const auto report = salvageStudy(folder / "a.prism", folder / "b.prism", options());
        if (report.ok()) { // what is written anew may be as small
            EXPECT_TRUE(report->losses.empty()) << text(report->losses);
            continue;
        }
        EXPECT_TRUE(report.errors().front().path == study_problem::kDiskFull || report.errors().front().path == study_problem::kInputOutput)
            << text(report.errors());
        EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator()), 1)
            << "nothing is left behind";
    }
}

TEST(StudySalvage, ANeighbourOfTheNewStudyStaysAsItIs)
{
    const Folder folder;
    makeSampleStudy(folder / "a.prism");
    writeAll(folder / "b.prism-new", "precious");
    ASSERT_TRUE(salvageStudy(folder / "a.prism", folder / "b.prism", options()).ok());
    EXPECT_EQ(readAll(folder / "b.prism-new"), "precious");
}

/// The lines of a dump that salvage brings back without a schema: undo starts afresh, view state is lost.
std::string withoutHistory(const std::string& dump)
{
    std::string kept;
    for (std::size_t i = 0; i < dump.size();) {
        const std::size_t end = dump.find('\n', i) + 1;
        const std::string line = dump.substr(i, end - i);
        if (!line.starts_with("step") && !line.starts_with("change") && !line.starts_with("view_state"))
            kept += line.substr(0, line.find(" cursor="));
        i = end;
    }
    return kept;
}

TEST(StudySalvage, ALostFirstPageLosesNoWork)
{
    const Folder folder;
    for (const bool compacted : {false, true}) {
        const std::string path = folder / (compacted ? "compacted.prism" : "fresh.prism");
        makeSampleStudy(path);
        if (compacted) {
            ASSERT_TRUE(Study::open(path, options())->compact().empty());
        }
        const std::string dump = Study::open(path, options())->dump().value();
        std::string bytes = readAll(path);
        std::fill(bytes.begin(), bytes.begin() + 4096, '\0');
        writeAll(path, bytes);
        EXPECT_EQ(Study::open(path, options()).errors().front().path, study_problem::kNotAStudy);
        const auto report = salvageStudy(path, path + ".out", options());
        ASSERT_TRUE(report.ok()) << text(report.errors());
        EXPECT_TRUE(withoutHistory(Study::open(path + ".out", options())->dump().value()) == withoutHistory(dump));
    }
}

TEST(StudySalvage, EachLostPageLosesLittle)
{
    const Folder folder;
    makeSampleStudy(folder / "a.prism");
    const std::string sound = readAll(folder / "a.prism");
    int pages = 0;
    int scenarios = 0;
    int revisions = 0;
    for (std::size_t at = 0; at < sound.size(); at += 4096) {
        std::string bytes = sound;
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), 4096, '\xa5');
        writeAll(folder / "b.prism", bytes);
        std::filesystem::remove(folder / "c.prism");
        const auto report = salvageStudy(folder / "b.prism", folder / "c.prism", options());
        ASSERT_TRUE(report.ok()) << at / 4096 << text(report.errors());
        ++pages;
        scenarios += report->scenarios;
        revisions += report->revisions;
        EXPECT_GE(report->scenarios, 7) << "page " << at / 4096;
        EXPECT_TRUE(Study::open(folder / "c.prism", options())->check().empty());
    }
    // On average one lost page leaves more than 95 % of the work.
    EXPECT_GT(scenarios, 8 * pages * 95 / 100);
    EXPECT_GT(revisions, 56 * pages * 95 / 100);
}

TEST(StudySalvage, WhatIsNoStudyIsRefused)
{
    const Folder folder;
    writeAll(folder / "a.prism", std::string(50'000, 'x'));
    EXPECT_EQ(salvageStudy(folder / "a.prism", folder / "b.prism").errors().front().path, study_problem::kDamaged);
    EXPECT_EQ(salvageStudy(folder / "none.prism", folder / "b.prism").errors().front().path, study_problem::kNotFound);
    EXPECT_FALSE(std::filesystem::exists(folder / "b.prism"));
}

} // namespace
} // namespace prism
