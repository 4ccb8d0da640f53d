// SPDX-License-Identifier: GPL-3.0-or-later
// Studies of the library: every file can be read, and findings agree with the rows.
#include "core/explore/question.h"

#include "core/scenario/presetlibrary.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

TEST(Question, EveryStudyOfTheLibraryCanBeRead)
{
    const std::vector<std::string> names = presetNames("studies");
    EXPECT_GE(names.size(), 9U);
    for (const std::string& name : names) {
        const Result<Question> q = questionFromJson(*presetText("studies", name), name);
        ASSERT_TRUE(q.ok()) << name << ": " << q.errors().front().path << " " << q.errors().front().message << " "
                            << q.errors().front().found;
        EXPECT_EQ(q->published.empty(), q->source.empty()) << name;
        for (const QuestionRow& row : q->rows)
            EXPECT_FALSE(row.label.empty()) << name;
    }
}

TEST(Question, IntervalsOfTheLibraryAreNarrowerThanTheSpread)
{
    Evaluator evaluator;
    InsightOptions few;
    few.samples = 300;
    for (const std::string& name : presetNames("studies")) {
        const Result<Question> q = questionFromJson(*presetText("studies", name), name);
        ASSERT_TRUE(q.ok()) << name;
        const Result<QuestionAnswer> a = answered(evaluator, *q, few);
        ASSERT_TRUE(a.ok()) << name;
        for (const QuestionAnswerRow& row : a->rows) {
            const DistributionSummary& step = row.step;
            EXPECT_LE(step.ciP50, 0.5 * (step.p95 - step.p5)) << name << ", " << row.label;
            EXPECT_LE(step.ciMean, 0.5 * (step.p95 - step.p5)) << name << ", " << row.label;
        }
    }
}

TEST(Question, ASlowNodeIsFoundAndNothingIsMadeOfNothing)
{
    const char* text = R"({"title": "t", "question": "q?", "scenario": "llama2-7b-8-a100",
        "rows": [{"label": "as it is"}, {"label": "the same"}, {"label": "slow", "slow": [{"node": 0, "compute": 2}]},
                 {"label": "half the batch", "scale": {"training.global_batch_size": 0.5}}]})";
    const Result<Question> q = questionFromJson(text, "t");
    ASSERT_TRUE(q.ok());
    EXPECT_EQ(q->rows[3].scenario.training.globalBatchSize * 2, q->rows[0].scenario.training.globalBatchSize);
    Evaluator evaluator;
    InsightOptions options;
    options.samples = 300;
    const Result<QuestionAnswer> a = answered(evaluator, *q, options);
    ASSERT_TRUE(a.ok());
    EXPECT_EQ(a->rows[1].p95Ratio.value, 1);
    EXPECT_GT(a->rows[2].p95Ratio.value - a->rows[2].p95Ratio.halfWidth, 1.2);
    EXPECT_NEAR(a->rows[3].p95Ratio.value, 1.01, 0.02); // per token, not per step; what a step does once counts double
    EXPECT_NE(a->findings.front().find("slow"), std::string::npos);
}

TEST(Question, ErrorsAreReportedWithTheirRow)
{
    EXPECT_FALSE(questionFromJson("[]", "t").ok());
    EXPECT_FALSE(questionFromJson("{", "t").ok());
    const Result<Question> q = questionFromJson(
        R"({"question": "q", "scenario": "llama2-7b-8-a100", "rows": [{"label": "a", "set": {"no.such": "1"}},
            {"label": "b", "scale": {"model.name": 2}}, {"label": "c", "scenario": "no-such"}]})",
        "t");
    ASSERT_FALSE(q.ok());
    EXPECT_GE(q.errors().size(), 3U);
    EXPECT_TRUE(q.errors().front().path.starts_with("t: rows[0]"));
}

} // namespace
} // namespace prism
