// SPDX-License-Identifier: GPL-3.0-or-later
// One insight of a page: requested in the background, kept by its token, last answer shown until the next.
#pragma once

#include "core/insight/insight.h"
#include "ui/bridge/insightrunner.h"
#include "ui/workspace/pagestate.h"
#include "ui/workspace/resulttoken.h"

#include <QObject>
#include <QPointer>
#include <QString>

#include <algorithm>
#include <deque>
#include <exception>
#include <optional>

namespace prism::ui {

/// GUI thread only. `R` is the insight's result type. Answers of the last few questions are kept, so undo costs nothing.
template <class R>
class InsightSlot final {
public:
    using Answer = std::shared_ptr<const Result<R>>;
    using Work = std::function<Result<R>(const InsightOptions&)>;

    explicit InsightSlot(QString key) : m_key(std::move(key)) {}

    /// The result that belongs on screen, also while it cannot be computed: any other one is not current. Shown at once if kept.
    void want(const ResultToken& token)
    {
        m_requested = token;
        const auto kept = std::find_if(m_kept.begin(), m_kept.end(), [&](const auto& known) { return known.first == token; });
        if (kept == m_kept.end())
            return;
        m_shown = token; // its scenario may have another name now
        m_answer = kept->second;
    }
    /// Shows the answer for `token` now or when it is there; `changed` is called then. A repeated request costs nothing.
    void ask(InsightRunner* runner, QObject* receiver, const ResultToken& token, const QString& title, Work work,
             std::function<void()> changed)
    {
        m_runner = runner;
        const bool isShown = m_answer && m_shown == token;
        want(token);
        if (m_answer && m_shown == token) {
            stop();
            return isShown ? void() : changed();
        }
        if (!runner || (m_pending == token && (runner->isBusy(m_key) || runner->round() == m_round)))
            return; // on its way, or stopped by the user
        m_pending = token;
        m_round = runner->round();
        runner->run<Result<R>>(
            receiver, m_key, title,
            [work = std::move(work), seed = token.seed](std::stop_token stop, const JobProgress& progress) {
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
            [this, token, changed = std::move(changed)](const Answer& answer) {
                if (!answer->ok() && isCancelled(answer->errors()))
                    return;
                m_pending.reset();
                keep(token, answer);
                changed();
            });
    }
    /// Puts an answer there without a job (tests, restored sessions).
    void give(const ResultToken& token, R value)
    {
        m_requested = token;
        keep(token, std::make_shared<const Result<R>>(std::move(value)));
    }
    void stop()
    {
        if (m_runner && m_pending)
            m_runner->cancel(m_key);
        m_pending.reset();
    }
    void forget()
    {
        stop();
        m_shown = m_requested = {};
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
        const bool busy = isComputing(), runs = busy && m_runner->isRunning(m_key), settled = !m_pending && m_shown == m_requested;
        return {value() != nullptr,
                value() != nullptr && settled,
                busy && !runs,
                runs,
                m_pending && !busy,
                settled ? error() : QString(),
                runs ? m_runner->progressText(m_key) : QString(),
                m_shown,
                m_requested};
    }
    [[nodiscard]] bool isComputing() const { return m_pending && m_runner && m_runner->isBusy(m_key); }
    [[nodiscard]] const ResultToken& shown() const { return m_shown; } ///< of the last answer

private:
    static constexpr std::size_t kKept = 24;

    void keep(const ResultToken& token, Answer answer)
    {
        m_shown = token;
        m_answer = answer;
        m_kept.emplace_back(token, std::move(answer));
        if (m_kept.size() > kKept)
            m_kept.pop_front();
    }

    QString m_key;
    ResultToken m_shown, m_requested;
    std::optional<ResultToken> m_pending;
    int m_round = 0; ///< of the runner, when the pending result was requested
    Answer m_answer;
    std::deque<std::pair<ResultToken, Answer>> m_kept;
    QPointer<InsightRunner> m_runner;
};

} // namespace prism::ui
