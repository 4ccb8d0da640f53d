// SPDX-License-Identifier: GPL-3.0-or-later
// One insight of a page: asked for in the background, kept by what it was asked of, last answer shown until the next.
#pragma once

#include "core/insight/insight.h"
#include "ui/bridge/insightrunner.h"
#include "ui/workspace/pagestate.h"

#include <QObject>
#include <QPointer>
#include <QString>

#include <deque>
#include <exception>

namespace prism::ui {

/// GUI thread only. `R` is the insight's result type. Answers of the last few questions are kept, so undo costs nothing.
template <class R>
class InsightSlot final {
public:
    using Answer = std::shared_ptr<const Result<R>>;
    using Work = std::function<Result<R>(const InsightOptions&)>;

    explicit InsightSlot(QString key) : m_key(std::move(key)) {}

    /// Shows the answer to `question` now or when it is there; `changed` is called then. A repeated question costs nothing.
    void ask(InsightRunner* runner, QObject* receiver, const QString& question, const QString& title, std::uint64_t seed, Work work,
             std::function<void()> changed)
    {
        m_runner = runner;
        if (question == m_shownQuestion)
            return stop();
        for (const auto& [asked, answer] : m_kept)
            if (asked == question) {
                stop();
                m_shownQuestion = question;
                m_answer = answer;
                return changed();
            }
        if (!runner || (question == m_pending && (runner->isBusy(m_key) || runner->round() == m_round)))
            return; // on its way, or stopped by the user
        m_pending = question;
        m_round = runner->round();
        runner->run<Result<R>>(
            receiver, m_key, title,
            [work = std::move(work), seed](std::stop_token stop, const JobProgress& progress) {
                InsightOptions options;
                options.seed = seed;
                options.stop = std::move(stop);
                options.progress = [&progress](double share, std::string_view what) {
                    progress(share, QString::fromUtf8(what.data(), static_cast<qsizetype>(what.size())));
                };
                try {
                    return work(options);
                } catch (const std::exception& error) { // core returns errors as values; this is memory that ran out
                    Diagnostic failed;
                    failed.message = error.what();
                    return Result<R>(Diagnostics{failed});
                }
            },
            [this, question, changed = std::move(changed)](const Answer& answer) {
                if (!answer->ok() && isCancelled(answer->errors()))
                    return;
                m_pending.clear();
                keep(question, answer);
                changed();
            });
    }
    /// Puts an answer there without a job (tests, restored sessions).
    void give(const QString& question, R value) { keep(question, std::make_shared<const Result<R>>(std::move(value))); }
    void stop()
    {
        if (m_runner && !m_pending.isEmpty())
            m_runner->cancel(m_key);
        m_pending.clear();
    }
    void forget()
    {
        stop();
        m_shownQuestion.clear();
        m_answer.reset();
    }

    /// The last answer, also while a newer one is being computed; null before the first or when it is an error.
    [[nodiscard]] const R* value() const { return m_answer && m_answer->ok() ? &m_answer->value() : nullptr; }
    /// The same, for a chart that keeps it: a step of thousands of spans is not copied.
    [[nodiscard]] std::shared_ptr<const R> shared() const { return value() ? std::shared_ptr<const R>(m_answer, value()) : nullptr; }
    [[nodiscard]] QString error() const
    {
        if (!m_answer || m_answer->ok() || m_answer->errors().empty())
            return {};
        return QString::fromStdString(m_answer->errors().front().message);
    }
    [[nodiscard]] InsightStatus status() const
    {
        const bool busy = !m_pending.isEmpty() && m_runner && m_runner->isBusy(m_key), runs = busy && m_runner->isRunning(m_key);
        return {value() != nullptr,
                value() != nullptr && m_pending.isEmpty(),
                busy && !runs,
                runs,
                !m_pending.isEmpty() && !busy,
                m_pending.isEmpty() ? error() : QString(),
                runs ? m_runner->progressText(m_key) : QString()};
    }
    [[nodiscard]] bool isComputing() const { return !m_pending.isEmpty() && m_runner && m_runner->isBusy(m_key); }
    [[nodiscard]] const QString& shownQuestion() const { return m_shownQuestion; }

private:
    static constexpr std::size_t kKept = 24;

    void keep(const QString& question, Answer answer)
    {
        m_shownQuestion = question;
        m_answer = answer;
        m_kept.emplace_back(question, std::move(answer));
        if (m_kept.size() > kKept)
            m_kept.pop_front();
    }

    QString m_key, m_pending, m_shownQuestion;
    int m_round = 0; ///< of the runner, when the pending question was asked
    Answer m_answer;
    std::deque<std::pair<QString, Answer>> m_kept;
    QPointer<InsightRunner> m_runner;
};

} // namespace prism::ui
