// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/findings/newjob.h"

#include "core/scenario/import/importers.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"
#include "ui/look/format.h"

#include <QFileInfo>
#include <QStringList>

#include <algorithm>
#include <bit>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::int64_t kUsualTokens = std::int64_t{4} << 20;

/// Sets parameters in sequence and keeps everything that was wrong.
class Setter final {
public:
    explicit Setter(Scenario scenario) : m_scenario(std::move(scenario)) {}
    void set(const char* id, const QString& text)
    {
        Result<Scenario> next = setParameter(m_scenario, id, text.trimmed().toStdString());
        m_errors.insert(m_errors.end(), next.errors().begin(), next.errors().end());
        if (next.ok())
            m_scenario = std::move(next).value();
    }
    [[nodiscard]] Scenario& scenario() { return m_scenario; }
    [[nodiscard]] Diagnostics& errors() { return m_errors; }

private:
    Scenario m_scenario;
    Diagnostics m_errors;
};

Diagnostic missing(const char* path, const QString& message)
{
    Diagnostic d;
    d.path = path;
    d.message = message.toStdString();
    return d;
}

/// The model of the answers on top of machines; the imported scenario where the answers hold a file.
Result<ImportResult> withModel(const NewJobAnswers& answers, const Scenario& machines)
{
    if (answers.source == NewJobAnswers::Source::preset) {
        if (answers.preset.isEmpty())
            return missing("model.preset", QObject::tr("Choose a model."));
        Result<Scenario> made = setParameter(machines, "model.preset", answers.preset.toStdString());
        if (!made.ok())
            return made.errors();
        return ImportResult{std::move(made).value(), {}};
    }
    if (answers.text.empty())
        return missing("model", QObject::tr("Choose a file, or drop one here."));
    return answers.source == NewJobAnswers::Source::huggingFace ? importHuggingFaceConfig(answers.text, machines)
                                                                : importMegatronArguments(answers.text, machines);
}

QStringList wordsOf(const QString& name)
{
    return name.split(u'-', Qt::SkipEmptyParts);
}

} // namespace

std::int64_t usualGlobalBatch(std::int64_t seqLength)
{
    const auto sequences = static_cast<std::uint64_t>(std::max<std::int64_t>(1, kUsualTokens / std::max<std::int64_t>(1, seqLength)));
    return static_cast<std::int64_t>(std::bit_floor(sequences));
}

QString fabricFor(const QString& gpu)
{
    const QStringList words = wordsOf(gpu);
    QString best;
    qsizetype largest = 0;
    for (const std::string& name : presetNames("fabric")) {
        const QStringList own = wordsOf(QString::fromStdString(name));
        const qsizetype shared = std::count_if(own.begin(), own.end(), [&](const QString& word) { return words.contains(word); });
        if (shared > largest) {
            largest = shared;
            best = QString::fromStdString(name);
        }
    }
    return best;
}

QString presetTitle(const char* kind, const QString& name)
{
    for (const PresetInfo& info : presetList())
        if (info.kind == kind && name == QString::fromStdString(info.name))
            return format::sentence(QString::fromStdString(info.title.empty() ? info.name : info.title));
    return name;
}

Result<NewJob> newJob(const NewJobAnswers& answers)
{
    Setter setter{Scenario()};
    setter.set("cluster.gpu.preset", answers.gpu);
    setter.set("cluster.fabric", answers.fabric);
    if (const std::string spread = measuredSpreadOf(answers.gpu.toStdString()); !spread.empty())
        setter.set("variability.preset", QString::fromStdString(spread));
    setter.set("cluster.num_gpus", answers.gpus);
    Result<ImportResult> model = withModel(answers, setter.scenario());
    Diagnostics errors = setter.errors();
    for (const Diagnostic& d : model.errors())
        errors.push_back(d);
    if (!errors.empty())
        return errors;
    NewJob job{model->scenario, std::nullopt, model->notes};
    Setter batch{job.scenario};
    const bool script = answers.source == NewJobAnswers::Source::megatron;
    if (!answers.globalBatch.trimmed().isEmpty())
        batch.set("training.global_batch_size", answers.globalBatch);
    else if (!script) // a script names its own
        batch.set("training.global_batch_size", QString::number(usualGlobalBatch(job.scenario.model.seqLength)));
    batch.set("cluster.num_gpus", answers.gpus); // a script may name another number; the answer counts
    if (!batch.errors().empty())
        return batch.errors();
    job.scenario = batch.scenario();
    job.scenario.name = answers.source == NewJobAnswers::Source::megatron ? QFileInfo(answers.fileName).completeBaseName().toStdString()
                                                                          : job.scenario.model.name;
    if (script) {
        job.own = job.scenario;
        job.scenario.parallelism = {};
    }
    return job;
}

} // namespace prism::ui
