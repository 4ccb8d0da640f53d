// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/speedtable.h"
#include "core/measured/measuredlimits.h"

#include "core/base/printable.h"
#include "core/base/table.h"
#include "core/base/text.h"
#include "core/measured/speedheader.h"
#include "core/stats/moments.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

namespace prism {

namespace {

constexpr std::size_t kMaxSpeedErrors = 200;
constexpr TableLimits kLimits = {
    .maxRows = kMaxSpeedRows + 1, .maxColumns = 1'024, .maxRowBytes = kMaxSpeedRowBytes}; ///< rows: with the header
constexpr char kComment = '#';
constexpr std::int64_t kMaxGpu = 1'023;
/// A factor of 20 off the median is not a GPU speed that trains (Sinha et al., SC22: outliers up to 1.5 times), but percent next to
/// fractions (x 100) and ms next to s (x 1000).
constexpr double kMaxOffMedian = 20;
/// A table of relative speeds whose median is further from 1 than this holds something else: TFLOP/s, or percent.
constexpr double kMaxOffOne = 5;

class SpeedReader final {
public:
    SpeedReader(std::string_view csv, std::string_view name)
        : m_text(csv),
          m_name(name),
          m_rows(csv, {.separator = separatorOf(csv, kComment), .comment = kComment, .trim = true, .limits = kLimits})
    {
    }

    Result<SpeedTable> read()
    {
        if (!isText() || !readHeader())
            return m_errors;
        while (nextRow())
            readRow();
        if (m_measured.empty() && m_errors.empty())
            error(m_line, "The table has no rows.", "", "one row per node or GPU");
        checkUnits();
        orderByNumber();
        if (m_dropped > 0)
            error(0, "There are more errors than are listed.", std::to_string(m_dropped) + " more", "a table without errors", true);
        if (!m_errors.empty())
            return m_errors;
        return table();
    }

private:
    struct Measured {
        int node, gpu, line;
        double value;
    };

    void error(int line, std::string message, std::string found, std::string accepted, bool always = false)
    {
        if (m_errors.size() >= kMaxSpeedErrors && !always) {
            ++m_dropped;
            return;
        }
        Diagnostic d;
        d.path = line > 0 ? fmt::format("{}:{}", m_name, line) : m_name;
        d.message = std::move(message);
        d.found = std::move(found);
        if (d.found.size() > 80)
            d.found = d.found.substr(0, 77) + "...";
        d.accepted = std::move(accepted);
        m_errors.push_back(std::move(d));
    }

    bool isText()
    {
        if (m_text.starts_with("\xFF\xFE") || m_text.starts_with("\xFE\xFF"))
            error(1, "The table is in UTF-16.", "a UTF-16 mark", "UTF-8: save it as CSV (UTF-8)");
        else if (m_text.substr(0, 65'536).find('\0') != std::string_view::npos)
            error(1, "The file is not text.", "a zero byte", "a CSV file");
        return m_errors.empty();
    }

    /// Goes to the next row that can be read.
    bool nextRow()
    {
        while (m_rows.next()) {
            m_line = static_cast<int>(m_rows.line());
            if (!m_rows.problem())
                return true;
            error(m_line, m_rows.problem()->message, m_rows.problem()->found, m_rows.problem()->accepted);
        }
        return false;
    }

    bool readHeader()
    {
        if (!nextRow()) {
            error(1, "The table is empty.", "", "a header line such as node,gpu,tflops");
            return false;
        }
        Result<SpeedHeader> header = readSpeedHeader(m_rows.cells());
        if (header.ok())
            m_header = std::move(header).value();
        else
            for (const Diagnostic& d : header.errors())
                error(m_line, d.message, d.found, d.accepted);
        return m_errors.empty();
    }

    void readRow()
    {
        const std::vector<std::string>& cells = m_rows.cells();
        if (cells.size() != m_header.columns.size()) {
            error(m_line, "The row has another number of cells than the header.", std::to_string(cells.size()),
                  std::to_string(m_header.columns.size()) + " cells"
                      + (separatorOf(m_text, kComment) == ',' ? "; decimals with a point, as a comma ends a cell" : ""));
            return;
        }
        Measured measured{-1, -1, m_line, 0};
        bool fine = true;
        for (std::size_t c = 0; c < cells.size(); ++c) {
            if (m_header.columns[c] == SpeedColumn::node)
                fine = readNode(cells[c], measured) && fine;
            else if (m_header.columns[c] == SpeedColumn::gpu)
                fine = readGpu(cells[c], measured) && fine;
            else if (m_header.columns[c] == SpeedColumn::value)
                fine = readValue(cells[c], measured) && fine;
        }
        if (measured.node >= 0)
            noteRepeat(measured);
        if (fine)
            m_measured.push_back(measured);
    }

    bool readNode(const std::string& cell, Measured& measured)
    {
        if (cell.empty()) {
            error(m_line, "The node is missing.", "an empty cell", "a host name or a node number");
            return false;
        }
        if (!isHostName(cell)) { // it goes into hostfiles, which launchers read
            error(m_line, "Not a host name.", printable(cell), "letters, digits, dots, hyphens and underscores");
            return false;
        }
        const auto [at, added] = m_nodeIndex.try_emplace(cell, static_cast<int>(m_hosts.size()));
        if (added)
            m_hosts.push_back(cell);
        measured.node = at->second;
        return true;
    }

    bool readGpu(const std::string& cell, Measured& measured)
    {
        const std::optional<std::int64_t> value = integerFromText(cell);
        if (!value || *value < 0 || *value > kMaxGpu) {
            error(m_line, "The GPU is not a number inside a node.", cell.empty() ? "an empty cell" : cell, "0 to 1023");
            return false;
        }
        measured.gpu = static_cast<int>(*value);
        return true;
    }

    bool readValue(const std::string& cell, Measured& measured)
    {
        const auto [end, problem] = std::from_chars(cell.data(), cell.data() + cell.size(), measured.value);
        const std::string_view rest(end, static_cast<std::size_t>(cell.data() + cell.size() - end));
        if (cell.empty() || problem != std::errc()) {
            error(m_line, "The speed is missing or not a number.", cell.empty() ? "an empty cell" : cell,
                  "a positive number in " + m_header.valueName);
            return false;
        }
        if (rest.starts_with(',')) {
            error(m_line, "The comma may stand for decimals or for thousands.", cell, "a decimal point and no thousands separator");
            return false;
        }
        if (!rest.empty()) {
            error(m_line, "The speed has another unit than the header: " + m_header.valueName + ".", cell,
                  "numbers without a unit, all in the header's unit");
            return false;
        }
        if (!std::isfinite(measured.value) || measured.value <= 0) {
            error(m_line, "A speed must be positive and finite.", cell, "> 0");
            return false;
        }
        measured.value *= m_header.toBase;
        return true;
    }

    void noteRepeat(const Measured& measured)
    {
        const std::uint64_t key = static_cast<std::uint64_t>(measured.node) * 2'048 + static_cast<std::uint64_t>(measured.gpu + 1);
        const auto [at, added] = m_seen.try_emplace(key, measured.line);
        if (!added)
            error(measured.line, measured.gpu < 0 ? "The node is listed twice." : "The GPU is listed twice.",
                  m_hosts[static_cast<std::size_t>(measured.node)] + (measured.gpu < 0 ? "" : " GPU " + std::to_string(measured.gpu))
                      + ", first on line " + std::to_string(at->second),
                  "one row for each");
    }

    /// Values that cannot be in the header's unit.
    void checkUnits()
    {
        if (m_measured.empty())
            return;
        std::vector<double> values;
        for (const Measured& m : m_measured)
            values.push_back(m.value);
        const double median = medianOf(values);
        if (m_header.unit == SpeedUnit::relative && (median > kMaxOffOne || median < 1 / kMaxOffOne))
            error(0, "The column " + m_header.valueName + " holds no relative speeds.",
                  "a median of " + numberText(median / m_header.toBase),
                  "speeds around 1, or a header that names the unit, such as tflops or speed_percent");
        for (const Measured& m : m_measured)
            if (m.value > kMaxOffMedian * median || m.value < median / kMaxOffMedian)
                error(m.line, "The speed is more than 20 times off the table's median: another unit?",
                      numberText(m.value / m_header.toBase), "values of one unit (median " + numberText(median / m_header.toBase) + ")");
    }

    /// Nodes that are all numbers keep their number as index, from 0 or from 1; host names keep the order of the file.
    void orderByNumber()
    {
        std::vector<std::int64_t> numbers;
        for (const std::string& host : m_hosts)
            if (const auto number = integerFromText(host); number && *number >= 0)
                numbers.push_back(*number);
        if (m_hosts.empty() || numbers.size() < m_hosts.size())
            return;
        std::vector<std::int64_t> sorted = numbers;
        std::sort(sorted.begin(), sorted.end());
        const std::int64_t first = sorted.front() <= 1 ? sorted.front() : 0;
        for (std::size_t i = 0; i < sorted.size(); ++i)
            if (sorted[i] != first + static_cast<std::int64_t>(i)) {
                error(0, "The node numbers are not consecutive.",
                      "node " + std::to_string(first + static_cast<std::int64_t>(i)) + " is missing or twice",
                      "every number from 0 (or 1) on, or host names");
                return;
            }
        std::vector<std::string> ordered(m_hosts.size());
        for (std::size_t i = 0; i < m_hosts.size(); ++i)
            ordered[static_cast<std::size_t>(numbers[i] - first)] = m_hosts[i];
        for (Measured& m : m_measured)
            m.node = static_cast<int>(numbers[static_cast<std::size_t>(m.node)] - first);
        m_hosts = std::move(ordered);
        m_numberedFrom = first;
    }

    SpeedTable table()
    {
        SpeedTable table;
        table.hosts = m_hosts;
        table.unit = m_header.unit;
        std::vector<double> values;
        for (const Measured& m : m_measured)
            values.push_back(m.value);
        // A relative speed is already relative to 1; absolute speeds are taken relative to the table's median.
        table.referenceValue = m_header.unit == SpeedUnit::relative ? 1.0 : medianOf(values);
        for (const Measured& m : m_measured) {
            const double relative = m_header.unit == SpeedUnit::seconds ? table.referenceValue / m.value : m.value / table.referenceValue;
            table.rows.push_back({m.node, m.gpu, relative, m.line});
        }
        note(table, "Read " + std::to_string(table.rows.size()) + " speeds of " + std::to_string(table.hosts.size())
                        + " nodes from the column " + m_header.valueName + (m_header.hasGpu() ? ", per GPU." : ", per node."));
        note(table, m_numberedFrom < 0 ? "Nodes are the cluster's in the order of the file."
                                       : "Node " + std::to_string(m_numberedFrom) + " of the file is the cluster's first node.");
        if (m_header.unit != SpeedUnit::relative)
            note(table, "Relative speed 1 is the table's median, " + numberText(table.referenceValue)
                            + (m_header.unit == SpeedUnit::tflops ? " TFLOP/s." : " s (shorter is faster)."));
        for (const std::string& name : m_header.ignored)
            note(table, "The column " + name + " is not used.");
        return table;
    }

    void note(SpeedTable& table, std::string message)
    {
        Diagnostic d;
        d.severity = Severity::note;
        d.path = m_name;
        d.message = std::move(message);
        table.notes.push_back(std::move(d));
    }

    std::string_view m_text;
    std::string m_name;
    TableRows m_rows;
    int m_line = 0;
    std::int64_t m_numberedFrom = -1;
    SpeedHeader m_header;
    std::vector<std::string> m_hosts;
    std::unordered_map<std::string, int> m_nodeIndex;
    std::unordered_map<std::uint64_t, int> m_seen;
    std::vector<Measured> m_measured;
    Diagnostics m_errors;
    std::size_t m_dropped = 0;
};

} // namespace

Result<SpeedTable> readSpeedTable(std::string_view csv, std::string_view name)
{
    return SpeedReader(csv, name).read();
}

} // namespace prism
