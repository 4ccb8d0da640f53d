// SPDX-License-Identifier: GPL-3.0-or-later
// Reasons against a result are named: memory, calibration, an MFU above all published ones, a fitted tail.
#include "core/engine/verdict.h"

#include <gtest/gtest.h>

namespace prism {

namespace {

Snapshot soundSnapshot()
{
    Snapshot s;
    auto costed = std::make_shared<CostedStep>();
    costed->memory = {{}, 60, 80, true};
    s.costed = costed;
    s.samples = std::make_shared<const StepSamples>();
    s.mfu = 0.4;
    return s;
}

} // namespace

TEST(Verdict, ASoundResultHasNoCaveats)
{
    EXPECT_TRUE(verdictOf(soundSnapshot()).sound());
    EXPECT_TRUE(verdictOf(soundSnapshot()).possible());
    EXPECT_TRUE(verdictOf(Snapshot()).sound()) << "before the first result nothing is known";
}

TEST(Verdict, AJobThatDoesNotFitIsImpossible)
{
    Snapshot s = soundSnapshot();
    auto costed = std::make_shared<CostedStep>(*s.costed);
    costed->memory = {{}, 144, 80, false};
    s.costed = costed;
    const Verdict verdict = verdictOf(s);
    EXPECT_FALSE(verdict.possible());
    ASSERT_EQ(verdict.caveats.size(), 1U);
    EXPECT_EQ(verdict.caveats[0].sentence, "The fullest stage needs 144.0 GiB on a GPU of 80.0 GiB.");
}

TEST(Verdict, EveryInputOutsideOfTheCalibrationIsNamed)
{
    Snapshot s = soundSnapshot();
    auto costed = std::make_shared<CostedStep>(*s.costed);
    costed->withinCalibration = false;
    s.costed = costed;
    s.diagnostics.push_back({Severity::warning, "cluster.gpu", "outside of the calibration: no step of b200", "b200", "h100", "", ""});
    s.diagnostics.push_back({Severity::warning, "training", "something else", "", "", "", ""});
    const Verdict verdict = verdictOf(s);
    EXPECT_TRUE(verdict.possible());
    ASSERT_EQ(verdict.caveats.size(), 1U);
    EXPECT_EQ(verdict.caveats[0].kind, Caveat::Kind::outsideCalibration);
    EXPECT_EQ(verdict.caveats[0].path, "cluster.gpu");
    EXPECT_NE(verdict.caveats[0].sentence.find("validated: h100"), std::string::npos);
}

TEST(Verdict, AnMfuAboveThePublishedOnesIsACaveat)
{
    Snapshot s = soundSnapshot();
    s.mfu = 0.76;
    const Verdict verdict = verdictOf(s);
    ASSERT_EQ(verdict.caveats.size(), 1U);
    EXPECT_EQ(verdict.caveats[0].kind, Caveat::Kind::unheardOf);
    s.mfu = kHighestPublishedMfu;
    EXPECT_FALSE(verdictOf(s).has(Caveat::Kind::unheardOf));
}

} // namespace prism
