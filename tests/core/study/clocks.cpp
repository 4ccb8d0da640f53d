// SPDX-License-Identifier: GPL-3.0-or-later
// The seconds that a check, a salvage and its process may take, by clocks that jump.
#include "core/study/database.h"
#include "core/study/impl.h"
#include "core/study/support.h"

#include <gtest/gtest.h>

#include <ctime>

#include <sys/syscall.h>

namespace {

/// A clock of this thread that gains a number of seconds from a look on.
struct Jump {
    clockid_t clock = -1;
    std::int64_t seconds = 0;
    int looksBefore = 0;
};
thread_local Jump jump;

} // namespace

/// Takes the place of the C library's in this program.
extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept
{
    const int code = static_cast<int>(syscall(SYS_clock_gettime, clock, now));
    if (clock == jump.clock && jump.looksBefore-- <= 0)
        now->tv_sec += jump.seconds;
    return code;
}

namespace prism::study_test {
namespace {

/// What `act` returns while a clock jumps.
template <class Act>
auto whileJumping(const Jump& as, const Act& act)
{
    jump = as;
    auto result = act();
    jump = {};
    return result;
}

void makeLongStudy(const std::string& path)
{
    Result<Study> study = Study::create(path, options());
    const ScenarioId id = study->addScenario("base", "{}").value();
    for (int i = 0; i < 100; ++i)
        ASSERT_TRUE(study->updateScenario(id, {.json = R"({"x":)" + std::to_string(i) + "}"}).ok());
}

TEST(StudyClocks, ACheckEndsAfterTenSecondsOfProcessorTime)
{
    const Folder folder;
    makeLongStudy(folder / "a.prism");
    const Result<Study> study = Study::open(folder / "a.prism", options());
    const auto found = [&](clockid_t clock, std::int64_t seconds) {
        return whileJumping({clock, seconds, 1}, [&] { return study->check(); });
    };
    EXPECT_TRUE(found(CLOCK_THREAD_CPUTIME_ID, 9).empty());
    EXPECT_TRUE(found(CLOCK_MONOTONIC, 1'000).empty()) << "waiting for a disk is not work";
    const Diagnostics stopped = found(CLOCK_THREAD_CPUTIME_ID, 10);
    ASSERT_EQ(stopped.size(), 1U) << text(stopped);
    EXPECT_EQ(stopped.front().path, study_problem::kTooLarge);
    EXPECT_EQ(stopped.front().accepted, "up to 10 s of processor time");
}

TEST(StudyClocks, ASalvageEndsAfterEightSecondsOfProcessorTimeWithWhatItHas)
{
    const Folder folder;
    makeLongStudy(folder / "a.prism");
    const auto salvaged = [&](clockid_t clock, std::int64_t seconds, int looksBefore) {
        std::filesystem::remove(folder / "b.prism");
        return whileJumping({clock, seconds, looksBefore}, [&] { return salvageStudy(folder / "a.prism", folder / "b.prism", options()); });
    };
    for (const auto& [clock, seconds] : {std::pair<clockid_t, std::int64_t>{CLOCK_THREAD_CPUTIME_ID, 7}, {CLOCK_MONOTONIC, 1'000}}) {
        const auto whole = salvaged(clock, seconds, 2);
        ASSERT_TRUE(whole.ok()) << text(whole.errors());
        EXPECT_EQ(whole->revisions, 101);
        EXPECT_TRUE(whole->losses.empty()) << text(whole->losses);
    }
    EXPECT_FALSE(salvaged(CLOCK_THREAD_CPUTIME_ID, 8, 2).ok()) << "nothing is read";
    const auto part = salvaged(CLOCK_THREAD_CPUTIME_ID, 8, 50); // amid the revisions
    ASSERT_TRUE(part.ok()) << text(part.errors());
    EXPECT_GT(part->revisions, 20);
    EXPECT_LT(part->revisions, 60);
    EXPECT_EQ(part->steps, 0) << "undo takes a complete history";
    EXPECT_NE(text(part->losses).find("salvage was stopped after 8 s of processor time"), std::string::npos) << text(part->losses);
}

/// The time of its process is a minute, of which it needs a moment.
TEST(StudyClocks, TheProcessOfASalvageEndsAfterAMinute)
{
    const Folder folder;
    makeLongStudy(folder / "a.prism");
    const auto salvaged = [&](std::int64_t seconds) {
        return whileJumping({CLOCK_MONOTONIC, seconds, 1},
                            [&] { return salvageInChild(folder / "a.prism", folder / "b.prism", options()); });
    };
    const auto stopped = salvaged(60);
    ASSERT_FALSE(stopped.ok());
    EXPECT_EQ(stopped.errors().front().message, "The salvage was stopped at a limit.");
    EXPECT_FALSE(std::filesystem::exists(folder / "b.prism"));
    EXPECT_TRUE(salvaged(30).ok());
}

} // namespace
} // namespace prism::study_test
