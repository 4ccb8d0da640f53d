// SPDX-License-Identifier: GPL-3.0-or-later
// Turns the records that one format finds in a log into runs of steps. Internal to core/measured.
#pragma once

#include "core/measured/lineformat.h"

#include <unordered_map>

namespace prism {

/// Assigns records to runs, leaves repeated ones out, and differences clocks. Jobs that write into one log by turns are separated by the
/// numbers of their steps. One thread.
class StepCollector final {
public:
    explicit StepCollector(KeptSteps keep) : m_keep(keep) {}

    /// True when the record gave a step, which is then the last of lastRun().
    bool take(const LineFinding& found);
    [[nodiscard]] StepLog& log() { return m_log; }
    [[nodiscard]] const LoggedRun& lastRun() const { return m_log.runs[m_lastRun]; }
    /// Score of this format for the log: steps of its longest run, twice where they have numbers, less what is unusable.
    [[nodiscard]] std::int64_t evidence() const;
    [[nodiscard]] std::int64_t longest() const { return m_longest; }
    /// Notes on steps that are not directly measured times; `field` is the field used as the time.
    [[nodiscard]] std::vector<std::string> notes(const std::string& field) const;
    /// Jobs that cannot be separated: nothing of the log may be used.
    [[nodiscard]] Diagnostics problems() const;

private:
    /// State of a run besides its steps.
    struct RunState {
        double stamp = kNoNumber;               ///< log time of its last step
        std::string rank;                       ///< that wrote its last step; empty = the lines name none
        double clock = kNoNumber;               ///< at its last step
        double total = kNoNumber;               ///< steps that the job will have
        std::int64_t number = -1, interval = 1; ///< of its last step; from the one before
        std::int64_t steps = 0;
        bool isNamed = false;
    };

    [[nodiscard]] std::size_t runNamed(const std::string& name, bool isNamed);
    [[nodiscard]] std::size_t newRun();
    [[nodiscard]] std::size_t runOf(const LineFinding& found);
    [[nodiscard]] std::size_t unnamedRunOf(const LineFinding& found);
    [[nodiscard]] bool isRepeated(const LineFinding& found) const;
    bool divide(const LineFinding& found, LoggedStep& step);
    void watchPlain(double seconds);
    void differencePlain();
    void keep(const LineFinding& found, LoggedStep step);

    KeptSteps m_keep;
    StepLog m_log;
    std::vector<RunState> m_states;                         ///< of the runs
    std::unordered_map<std::string, std::size_t> m_indices; ///< of the runs, by their names
    std::unordered_map<std::string, std::size_t> m_latest;  ///< by the log's own name: the run that its lines continue
    std::size_t m_lastRun = 0, m_steps = 0;
    std::int64_t m_longest = 0, m_numbered = 0;
    std::int64_t m_returns = 0, m_conflicts = 0; ///< to a run that had been left; the same number with another time
    std::uint64_t m_beyond = 0;                  ///< steps beyond kMaxLoggedSteps
    double m_firstPlain = 0, m_lastPlain = 0;
    std::int64_t m_plain = 0, m_rises = 0, m_falls = 0; ///< plain times
    bool m_isClock = false, m_differenced = false;      ///< plain times run on; any time was a difference
    bool m_isWhole = true, m_isWide = false;            ///< clocks give whole seconds; several steps lie between records
};

} // namespace prism
