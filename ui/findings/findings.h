// SPDX-License-Identifier: GPL-3.0-or-later
// Findings of a report on a study: scenarios, answer, causes, places, job and limits, gathered from core's results. No widget.
#pragma once

#include "core/insight/compare/changes.h"
#include "core/insight/curve.h"
#include "core/insight/placement/placement.h"
#include "core/insight/sensitivity/sensitivity.h"
#include "core/job/jobsection.h"
#include "core/job/jobviews.h"
#include "ui/model/studystate.h"

#include <QString>
#include <QStringList>

#include <functional>
#include <optional>

namespace prism::ui {

/// What is asked of a study.
struct FindingsQuery {
    StudyState state;
    int currentId = -1;
    QString title;       ///< of the study; empty = the name of the scenario
    QString question;    ///< typed by the user; empty = made from the study
    int samples = 2'000; ///< steps per scenario
};

/// One scenario of the report.
struct FoundScenario {
    QString name;
    int colour = 0;
    bool baseline = false, possible = true; ///< possible: it fits into memory
    SnapshotPtr snapshot;                   ///< complete and valid
    std::vector<CurvePoint> cdf;
    Estimate misses;         ///< P(step > mark), across jobs
    HeadlineChanges changes; ///< against the baseline; zeros for itself
    std::optional<JobReport> job;
};

/// A cause of spread with what p95 rises by when its spread is doubled.
struct FoundCause {
    QString id, name, input; ///< input: "CV 6.0 %"
    Estimate rise;
};

/// The answer in one sentence, and how sure it is.
struct Answer {
    QString sentence;
    QStringList certainty;
};

struct Findings {
    QString title, question;
    Answer answer;
    double markSeconds = 0; ///< the target, or where none is set the p95 of the scenario that others are compared with
    bool hasTarget = false;
    bool pinned = true;                     ///< the scenario marked as baseline was pinned by the user, and is not just the first one
    std::vector<FoundScenario> scenarios;   ///< as in the table, at most kMaxFound
    std::size_t advised = 0;                ///< index of the one that the answer takes
    std::vector<FoundCause> causes;         ///< of the advised one, largest first
    std::optional<PlacementMap> places;     ///< of the advised one
    std::optional<SlowNodesReport> slow;    ///< of the current one, where nodes are marked
    QString slowName;                       ///< of that scenario
    std::vector<JobAssumption> assumptions; ///< of the advised one's job
    bool jobAssumed = false;                ///< it has no job section
    QStringList notes;                      ///< what could not be found, and why: one sentence each
    QString version;
    std::uint64_t seed = 1;
    /// Changes from the first to the second; a window caches them.
    std::function<HeadlineChanges(const SnapshotPtr&, const SnapshotPtr&)> compare = [](const SnapshotPtr& a, const SnapshotPtr& b) {
        return headlineChanges(*a, *b);
    };
    [[nodiscard]] const FoundScenario& best() const { return scenarios[advised]; }
};
inline constexpr std::size_t kMaxFound = 6;

/// Blocks its thread for as long as the insights take; the same bits for the same query, seed and version. Errors: no scenario that can be
/// computed (their diagnostics), cancelled.
[[nodiscard]] Result<Findings> findings(Evaluator& evaluator, const FindingsQuery& query, const InsightOptions& options = {});

/// Among the scenarios that run under the baseline's conditions: of those that reach the target (all, where none does or none is set) the
/// one of the least p95, per token where the jobs differ; days and cost decide ties, and the baseline stays where nothing does. Index into
/// the scenarios, which are not empty.
[[nodiscard]] std::size_t advisedScenario(const Findings& found);
/// Question and answer of what was found; `advised` is set before.
[[nodiscard]] QString questionOf(const Findings& found);
[[nodiscard]] QString answerSentence(const Findings& found);
[[nodiscard]] Answer answerOf(const Findings& found); ///< the same sentence, and how certain it is
/// P(step > seconds) with the error of the mean and how systems differ, as guarantee states it; empty where the range is not computed yet.
struct MissedOverSystems {
    QString sentence, words; ///< words: the share alone, for one line
};
[[nodiscard]] MissedOverSystems missedOverSystems(const Snapshot& snapshot, double seconds);
/// The assumptions, in plain words: cluster, spread, tokens, failures. One sentence each.
[[nodiscard]] QStringList assumptionSentences(const Findings& found);
/// The same of one scenario alone: cluster, spread, tokens.
[[nodiscard]] QStringList assumptionSentences(const Scenario& scenario);
/// "NAME: node 5 takes 1.2× as long as the others, all the time.", without a name "Node 5 takes ..."; none where many places are marked.
[[nodiscard]] QStringList slowPlaceSentences(const Scenario& scenario, const QString& name);
/// Effects that the model omits for every scenario.
[[nodiscard]] QStringList modelLimitSentences();
/// Effects that the model omits, and where a scenario is outside of the validated range. One sentence each.
[[nodiscard]] QStringList limitSentences(const Findings& found);

} // namespace prism::ui
