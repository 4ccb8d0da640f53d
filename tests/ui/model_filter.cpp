// SPDX-License-Identifier: GPL-3.0-or-later
// Which scenarios a filter shows.
#include "tests/ui/studies.h"
#include "ui/workspace/scenariofilter.h"

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

namespace {

ScenarioEntry entryOf(const Scenario& scenario)
{
    return {1, std::make_shared<const Scenario>(scenario), 0, true, false};
}

SnapshotPtr resultOf(double p95, bool fits)
{
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->across.p95 = p95;
    snapshot->mfu = 0.42;
    auto costed = std::make_shared<CostedStep>();
    costed->memory.fits = fits;
    costed->memory.peakGib = 61;
    snapshot->costed = costed;
    return snapshot;
}

} // namespace

TEST(ScenarioFilter, ReadsWordsParametersAndResults)
{
    Scenario s = smallScenario("H100 wide"); // TP 4, PP 4, 64 GPUs
    s.note = "as measured in May";
    const ScenarioEntry entry = entryOf(s);
    const SnapshotPtr result = resultOf(6.5, true);
    for (const QString& yes :
         {u""_s, u"h100"_s, u"WIDE may"_s, u"p95 < 7 s"_s, u"p95 < 6,600 ms"_s, u"p95>=6.5"_s, u"fits"_s, u"tp = 4"_s, u"TP=4 and fits"_s,
          u"cluster.num_gpus > 32"_s, u"mfu > 40 %"_s, u"memory < 80 GiB"_s, u"tp != 8, pp <= 4"_s, u"precision = bf16"_s, u"visible"_s})
        EXPECT_TRUE(ScenarioFilter(yes).matches(entry, result)) << yes.toStdString();
    for (const QString& no : {u"a100"_s, u"p95 < 6 s"_s, u"does not fit"_s, u"tp = 8"_s, u"fits and p95 > 7 s"_s, u"mfu > 50 %"_s,
                              u"days < 10"_s /* no token target */})
        EXPECT_FALSE(ScenarioFilter(no).matches(entry, result)) << no.toStdString();
}

TEST(ScenarioFilter, AScenarioWithoutAResultFulfilsNoConditionOnResults)
{
    const ScenarioEntry entry = entryOf(smallScenario("new"));
    EXPECT_FALSE(ScenarioFilter(u"p95 < 1000 s"_s).matches(entry, nullptr));
    EXPECT_FALSE(ScenarioFilter(u"fits"_s).matches(entry, nullptr));
    EXPECT_FALSE(ScenarioFilter(u"does not fit"_s).matches(entry, nullptr));
    EXPECT_TRUE(ScenarioFilter(u"new"_s).matches(entry, nullptr));
}

TEST(ScenarioFilter, ReportsWhatItCannotRead)
{
    for (const auto& [text, problem] : {std::pair{u"p95 < banana"_s, u"\"banana\" is not a value of p95"_s},
                                        {u"fits and tp = wide"_s, u"\"wide\" is not a value of tp"_s},
                                        {u"p95 <"_s, u"\"\" is not a value of p95"_s},
                                        {u"p96 < 7 s"_s, u"\"p96\" is neither a statistic nor a parameter"_s}}) {
        EXPECT_EQ(ScenarioFilter(text).problem(), problem);
        EXPECT_FALSE(ScenarioFilter(text).matches(entryOf(smallScenario("any")), resultOf(6.5, true)));
    }
    for (const QString& readable : {u""_s, u"h100"_s, u"p95 < 7 s, tp = 8"_s, u"precision = bf16"_s, u"mfu > 40 %"_s})
        EXPECT_EQ(ScenarioFilter(readable).problem(), QString());
}

} // namespace prism::ui::test
