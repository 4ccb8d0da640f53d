// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/findings/findings.h"

#include "core/engine/verdict.h"
#include "core/insight/empirical.h"
#include "ui/look/format.h"

#include <QCoreApplication>

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kMaxCauses = 4;
constexpr int kJobRuns = 4'000;

QString text(const std::string& s)
{
    return QString::fromStdString(s);
}

QString firstMessage(const Diagnostics& errors)
{
    for (const Diagnostic& d : errors)
        if (d.severity == Severity::error)
            return text(d.message);
    return QObject::tr("an unknown reason");
}

/// Baseline and current first, then the visible ones as in the table; shown in the order of the table.
std::vector<const ScenarioEntry*> chosen(const FindingsQuery& query)
{
    std::vector<int> ids;
    const auto take = [&](const ScenarioEntry* e) {
        if (e && !e->archived && ids.size() < kMaxFound && std::find(ids.begin(), ids.end(), e->id) == ids.end())
            ids.push_back(e->id);
    };
    take(query.state.find(query.state.baselineId));
    take(query.state.find(query.currentId));
    for (const ScenarioEntry& e : query.state.entries)
        if (e.visible)
            take(&e);
    std::vector<const ScenarioEntry*> entries;
    for (const ScenarioEntry& e : query.state.entries)
        if (std::find(ids.begin(), ids.end(), e.id) != ids.end())
            entries.push_back(&e);
    return entries;
}

/// Gathers findings in sequence; each part that fails leaves a note.
class Gathering final {
public:
    Gathering(Evaluator& evaluator, const FindingsQuery& query, const InsightOptions& options)
        : m_evaluator(evaluator),
          m_query(query),
          m_options(options)
    {
        m_options.samples = query.samples;
        m_found.seed = options.seed;
        m_found.version =
            QCoreApplication::applicationVersion().isEmpty() ? QStringLiteral(PRISM_VERSION) : QCoreApplication::applicationVersion();
    }

    [[nodiscard]] bool stopped() const { return m_options.stop.stop_requested(); }
    void reportProgress(double share, std::string_view what) const
    {
        if (m_options.progress)
            m_options.progress(share, what);
    }
    /// Options of one part, whose own progress from 0 to 1 is that from `from` to `to` of the whole. Samples: 0 = its default.
    [[nodiscard]] InsightOptions part(double from, double to, int samples = 0) const
    {
        InsightOptions own = m_options;
        own.samples = samples;
        own.progress = [this, from, to](double share, std::string_view what) { reportProgress(from + (to - from) * share, what); };
        return own;
    }

    Diagnostics evaluateAll()
    {
        Diagnostics errors;
        const std::vector<const ScenarioEntry*> entries = chosen(m_query);
        for (std::size_t i = 0; i < entries.size() && !stopped(); ++i) {
            reportProgress(0.3 * static_cast<double>(i) / static_cast<double>(entries.size()), "step times");
            const ScenarioEntry& e = *entries[i];
            EvaluateOptions how = evaluateOptions(m_options, m_query.samples);
            how.systemsRange = true;
            const SnapshotPtr snapshot = m_evaluator.evaluate(*e.scenario, how);
            if (!snapshot->valid() || !snapshot->samples) {
                errors.insert(errors.end(), snapshot->diagnostics.begin(), snapshot->diagnostics.end());
                m_found.notes << QObject::tr("%1 is omitted: %2").arg(text(e.scenario->name), firstMessage(snapshot->diagnostics));
                continue;
            }
            FoundScenario s;
            s.name = text(e.scenario->name);
            s.colour = e.colour;
            s.baseline = e.id == m_query.state.baselineId;
            s.possible = verdictOf(*snapshot).possible();
            s.snapshot = snapshot;
            s.cdf = cdfCurve(snapshot->sortedAcrossSeconds, 200);
            m_found.scenarios.push_back(std::move(s));
        }
        return errors;
    }

    void compareAll()
    {
        std::vector<FoundScenario>& all = m_found.scenarios;
        auto base = std::find_if(all.begin(), all.end(), [](const FoundScenario& s) { return s.baseline; });
        m_found.pinned = base != all.end();
        if (!m_found.pinned)
            base = all.begin();
        base->baseline = true;
        m_found.hasTarget = m_query.state.limitSeconds > 0;
        m_found.markSeconds = m_found.hasTarget ? m_query.state.limitSeconds : base->snapshot->across.p95;
        for (FoundScenario& s : all) {
            s.misses = RunMetrics::across(*s.snapshot->samples, s.snapshot->sortedAcrossSeconds).exceedance(m_found.markSeconds);
            if (!s.baseline)
                s.changes = headlineChanges(*base->snapshot, *s.snapshot);
        }
        m_found.advised = advisedScenario(m_found);
    }

    void addCauses()
    {
        reportProgress(0.35, "causes of spread");
        const Result<SensitivityTable> table = sensitivity(m_evaluator, m_found.best().snapshot->scenario, part(0.35, 0.55));
        if (!table.ok()) {
            m_found.notes << QObject::tr("The causes of the spread are not given: %1").arg(firstMessage(table.errors()));
            return;
        }
        std::vector<const SensitivityRow*> rows;
        for (const SensitivityRow& row : table->rows)
            if (row.varies && row.spreadDoubled.p95.significant() && row.spreadDoubled.p95.value > 0)
                rows.push_back(&row);
        std::stable_sort(rows.begin(), rows.end(), [](const SensitivityRow* a, const SensitivityRow* b) {
            return a->spreadDoubled.p95.value > b->spreadDoubled.p95.value;
        });
        for (std::size_t i = 0; i < std::min(rows.size(), kMaxCauses); ++i) {
            const SensitivityRow& r = *rows[i];
            const QString name =
                r.label.empty() || r.label == r.id ? format::kernelClass(text(r.id)) : text(r.label).section(u" ("_s, 0, 0);
            m_found.causes.push_back({text(r.id), name, u"CV %1 %"_s.arg(format::number(100 * r.cv, 2)), r.spreadDoubled.p95});
        }
    }

    void addPlaces()
    {
        reportProgress(0.55, "places");
        const Scenario& best = m_found.best().snapshot->scenario;
        Scenario clean = best;
        clean.variability.slow.clear();
        Result<PlacementMap> map = placementMap(m_evaluator, clean, SlowProbe{}, part(0.55, 0.7));
        if (map.ok())
            m_found.places = std::move(map).value();
        else
            m_found.notes << QObject::tr("Where a slow node hurts is not given: %1").arg(firstMessage(map.errors()));
        for (const FoundScenario& s : m_found.scenarios) {
            const std::vector<SlowEntry>& slow = s.snapshot->scenario.variability.slow;
            if (slow.empty() || m_found.slow)
                continue;
            if (Result<SlowNodesReport> report = slowNodes(m_evaluator, s.snapshot->scenario, slow, part(0.7, 0.75)); report.ok()) {
                m_found.slow = std::move(report).value();
                m_found.slowName = s.name;
            }
        }
    }

    void addJobs()
    {
        JobQuery query;
        query.runs = kJobRuns;
        for (std::size_t i = 0; i < m_found.scenarios.size() && !stopped(); ++i) {
            const double each = 0.25 / static_cast<double>(m_found.scenarios.size()), from = 0.75 + each * static_cast<double>(i);
            reportProgress(from, "the whole job");
            FoundScenario& s = m_found.scenarios[i];
            if (!s.possible)
                continue;
            Result<JobReport> job = jobOf(m_evaluator, s.snapshot->scenario, query, part(from, from + each, m_query.samples));
            if (job.ok())
                s.job = std::move(job).value();
            else if (!isCancelled(job.errors()))
                m_found.notes << QObject::tr("%1: the whole job is not given. %2").arg(s.name, firstMessage(job.errors()));
        }
        if (const Result<JobSection> section = jobSectionOf(m_found.best().snapshot->scenario); section.ok() && m_found.best().job) {
            m_found.assumptions = jobAssumptions(m_found.best().snapshot->scenario, *section);
            m_found.jobAssumed = section->assumed;
        }
    }

    Findings take()
    {
        const Scenario& best = m_found.best().snapshot->scenario;
        const QString job = u"%1, %2 × %3"_s.arg(text(best.model.name), format::count(best.cluster.numGpus), text(best.cluster.gpu.name));
        m_found.title = m_query.title.isEmpty() ? job : u"%1: %2"_s.arg(m_query.title, job);
        m_found.question = m_query.question.isEmpty() ? questionOf(m_found) : m_query.question;
        m_found.answer = answerOf(m_found);
        return std::move(m_found);
    }
    [[nodiscard]] bool isEmpty() const { return m_found.scenarios.empty(); }

private:
    Evaluator& m_evaluator;
    const FindingsQuery& m_query;
    InsightOptions m_options;
    Findings m_found;
};

} // namespace

Result<Findings> findings(Evaluator& evaluator, const FindingsQuery& query, const InsightOptions& options)
{
    Gathering all(evaluator, query, options);
    Diagnostics errors = all.evaluateAll();
    if (all.stopped())
        return cancelled();
    if (all.isEmpty()) {
        if (!hasErrors(errors))
            errors.push_back({Severity::error, "", "The study holds no scenario.", "", "a study with at least one scenario", "", ""});
        return errors;
    }
    all.compareAll();
    all.addCauses();
    all.addPlaces();
    all.addJobs();
    if (all.stopped())
        return cancelled();
    return all.take();
}

} // namespace prism::ui
