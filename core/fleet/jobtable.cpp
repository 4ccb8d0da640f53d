// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/jobtable.h"

#include "core/base/table.h"
#include "core/base/text.h"
#include "core/base/timeunits.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

namespace prism {
namespace {

constexpr std::size_t kMaxReported = 50;
constexpr double kMaxSeconds = 1e12;
constexpr std::int64_t kMaxGpus = 1 << 20;

enum Column { jobColumn, submitColumn, gpusColumn, durationColumn, startColumn, endColumn, kindColumn, gpuTypeColumn, kColumns };

/// Names of a column in public tables, the preferred first.
const std::array<std::vector<std::string>, kColumns>& columnNames()
{
    static const std::array<std::vector<std::string>, kColumns> names = {{{"job_id", "jobid", "id", "job_name"},
                                                                          {"submit_time", "submitted_time", "submit"},
                                                                          {"gpu_num", "num_gpus", "gpus", "gpu_count"},
                                                                          {"duration", "run_time", "runtime"},
                                                                          {"start_time"},
                                                                          {"end_time"},
                                                                          {"model", "type", "class"},
                                                                          {"gpu_type"}}};
    return names;
}

/// "2020-09-01 08:30:00" or with T between, as seconds since 1970; what follows is omitted.
std::optional<double> dateSeconds(std::string_view text)
{
    const auto number = [&](std::size_t at, std::size_t length) {
        return text.size() >= at + length ? integerFromText(text.substr(at, length)) : std::nullopt;
    };
    const auto year = number(0, 4), month = number(5, 2), day = number(8, 2), hour = number(11, 2), minute = number(14, 2),
               second = number(17, 2);
    if (!year || !month || !day || !hour || !minute || !second || text[4] != '-' || text[7] != '-' || text[13] != ':' || text[16] != ':')
        return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)), std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok() || *month < 1 || *day < 1 || *hour < 0 || *hour > 23 || *minute < 0 || *minute > 59 || *second < 0 || *second > 60)
        return std::nullopt;
    return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count()) * kSecondsPerDay
           + static_cast<double>(*hour) * kSecondsPerHour + static_cast<double>(*minute) * kSecondsPerMinute + static_cast<double>(*second);
}

bool isAbsent(std::string_view text)
{
    const std::string low = lowered(text);
    return low.empty() || low == "none" || low == "null" || low == "nan";
}

/// Reads rows and collects what is wrong with them.
class JobRows final {
public:
    explicit JobRows(std::string name) : m_name(std::move(name)) {}

    void readHeader(const std::vector<std::string>& cells)
    {
        m_at.fill(cells.size());
        for (std::size_t c = 0; c < kColumns; ++c)
            for (const std::string& known : columnNames()[c])
                for (std::size_t i = 0; i < cells.size() && m_at[c] >= cells.size(); ++i)
                    if (lowered(trimmed(cells[i])) == known)
                        m_at[c] = i;
        m_width = cells.size();
        require(submitColumn, "time of submission");
        require(gpusColumn, "number of GPUs");
        if (!has(durationColumn) && !(has(startColumn) && has(endColumn)))
            report("header", "The table has no duration.", "", "a column duration, or start_time and end_time");
    }
    void readRow(const std::vector<std::string>& cells, std::size_t line)
    {
        m_cells = &cells;
        m_where = "line " + std::to_string(line);
        if (cells.size() != m_width) {
            report(m_where, "The row has another number of cells than the header.", std::to_string(cells.size()), std::to_string(m_width));
            return;
        }
        const std::optional<double> gpus = value(gpusColumn, static_cast<double>(kMaxGpus));
        if (gpus && *gpus == 0) {
            ++m_table.withoutGpus;
            return;
        }
        const std::optional<double> submit = time(submitColumn);
        const std::optional<double> ran = duration();
        if (!gpus || !submit || !ran)
            return;
        if (*gpus != static_cast<double>(static_cast<int>(*gpus))) {
            report(m_where, "A number of GPUs is a whole number.", cell(gpusColumn), "1, 2, 3, ...");
            return;
        }
        if (*ran == 0) {
            ++m_table.withoutDuration;
            return;
        }
        m_table.jobs.push_back({cell(jobColumn), cell(kindColumn), *submit, *ran, static_cast<int>(*gpus), cell(gpuTypeColumn), line});
    }
    void report(const std::string& where, std::string message, std::string found, std::string accepted)
    {
        ++m_invalid;
        if (m_errors.size() < kMaxReported)
            m_errors.push_back({Severity::error, m_name + ": " + where, std::move(message), std::move(found), std::move(accepted), "", ""});
    }
    [[nodiscard]] bool hasErrors() const { return m_invalid > 0; }
    [[nodiscard]] Result<JobTable> take()
    {
        if (m_invalid > m_errors.size())
            m_errors.push_back(
                {Severity::error, m_name, "Further lines are wrong.", std::to_string(m_invalid - m_errors.size()), "0", "", ""});
        if (!m_errors.empty())
            return m_errors;
        std::stable_sort(m_table.jobs.begin(), m_table.jobs.end(),
                         [](const FleetJob& a, const FleetJob& b) { return a.submitSeconds < b.submitSeconds; });
        if (m_table.jobs.empty())
            return Diagnostic{Severity::error, m_name, "The table has no job that ran on GPUs.", "0", "at least one", "", ""};
        const double first = m_table.jobs.front().submitSeconds;
        for (FleetJob& job : m_table.jobs)
            job.submitSeconds -= first;
        return std::move(m_table);
    }

private:
    [[nodiscard]] bool has(Column c) const { return m_at[c] < m_width; }
    void require(Column c, const char* what)
    {
        if (!has(c))
            report("header", std::string("The table has no ") + what + ".", "",
                   "a column " + prism::joined(std::span<const std::string>(columnNames()[c]), " or "));
    }
    [[nodiscard]] std::string cell(Column c) const { return has(c) ? std::string(trimmed((*m_cells)[m_at[c]])) : std::string(); }
    /// A number >= 0, or nothing and an error.
    std::optional<double> value(Column c, double largest)
    {
        const std::optional<double> x = doubleFromText(cell(c));
        if (x && *x >= 0 && *x <= largest)
            return x;
        report(m_where, columnNames()[c].front() + " is not a number from 0 on.", cell(c).substr(0, 40),
               "a number from 0 to " + numberText(largest));
        return std::nullopt;
    }
    /// Seconds, or a date.
    std::optional<double> time(Column c)
    {
        const std::string text = cell(c);
        if (const std::optional<double> date = dateSeconds(text))
            return date;
        const std::optional<double> seconds = doubleFromText(text);
        if (seconds && *seconds >= 0 && *seconds <= kMaxSeconds)
            return seconds;
        report(m_where, columnNames()[c].front() + " is not a time.", text.substr(0, 40),
               "seconds from 0 on, or a date such as 2020-09-01 08:30:00");
        return std::nullopt;
    }
    /// 0 for a job that never ran.
    std::optional<double> duration()
    {
        if (has(durationColumn))
            return isAbsent(cell(durationColumn)) ? std::optional<double>(0) : value(durationColumn, kMaxSeconds);
        if (isAbsent(cell(startColumn)) || isAbsent(cell(endColumn)))
            return 0;
        const std::optional<double> start = time(startColumn), end = time(endColumn);
        if (!start || !end)
            return std::nullopt;
        if (*end >= *start)
            return *end - *start;
        report(m_where, "The job ends before it starts.", cell(endColumn), "an end_time that is not before " + cell(startColumn));
        return std::nullopt;
    }

    std::string m_name, m_where;
    std::array<std::size_t, kColumns> m_at{};
    std::size_t m_width = 0, m_invalid = 0;
    const std::vector<std::string>* m_cells = nullptr;
    Diagnostics m_errors;
    JobTable m_table;
};

} // namespace

Result<JobTable> jobTable(std::string_view text, const std::string& name)
{
    JobRows rows(name);
    TableFormat format;
    format.separator = separatorOf(text);
    format.trim = true;
    bool header = true;
    for (TableRows table(text, format); table.next();) {
        if (table.problem())
            rows.report(table.problem()->path, table.problem()->message, table.problem()->found, table.problem()->accepted);
        else if (header)
            rows.readHeader(table.cells());
        else
            rows.readRow(table.cells(), table.line());
        if (header && rows.hasErrors())
            break; // without its columns no row can be read
        header = false;
    }
    return rows.take();
}

} // namespace prism
