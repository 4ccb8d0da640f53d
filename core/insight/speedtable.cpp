#include "core/insight/speedtable.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

namespace prism {

namespace {

constexpr std::size_t kMaxErrors = 200, kMaxRows = 1'000'000, kMaxLine = 4'096;
constexpr std::int64_t kMaxGpu = 1'023;

enum class Column { ignored, node, gpu, value };

struct ValueHeader {
    SpeedUnit unit = SpeedUnit::relative;
    double toBase = 1; ///< multiplies a cell to get TFLOP/s, seconds, or the relative speed
};

const std::map<std::string, ValueHeader, std::less<>>& valueHeaders()
{
    static const std::map<std::string, ValueHeader, std::less<>> table{
        {"relative_speed", {SpeedUnit::relative, 1}}, {"rel_speed", {SpeedUnit::relative, 1}}, {"speed", {SpeedUnit::relative, 1}},
        {"speed_percent", {SpeedUnit::relative, 0.01}}, {"tflops", {SpeedUnit::tflops, 1}}, {"tflop/s", {SpeedUnit::tflops, 1}},
        {"tflops/s", {SpeedUnit::tflops, 1}}, {"gflops", {SpeedUnit::tflops, 1e-3}}, {"gflop/s", {SpeedUnit::tflops, 1e-3}},
        {"pflops", {SpeedUnit::tflops, 1e3}}, {"pflop/s", {SpeedUnit::tflops, 1e3}}, {"time_s", {SpeedUnit::seconds, 1}},
        {"seconds", {SpeedUnit::seconds, 1}}, {"duration_s", {SpeedUnit::seconds, 1}}, {"time_ms", {SpeedUnit::seconds, 1e-3}},
        {"ms", {SpeedUnit::seconds, 1e-3}}, {"time_us", {SpeedUnit::seconds, 1e-6}}};
    return table;
}

bool isNodeHeader(const std::string& name)
{
    return name == "node" || name == "host" || name == "hostname" || name == "node_id" || name == "node_name";
}

bool isGpuHeader(const std::string& name)
{
    return name == "gpu" || name == "device" || name == "local_rank" || name == "gpu_id" || name == "gpu_index";
}

std::string trimmed(std::string_view text)
{
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
        text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
        text.remove_suffix(1);
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
        text = text.substr(1, text.size() - 2);
    return std::string(text);
}

/// "Relative Speed" -> "relative_speed"; "TFLOP/s" -> "tflop/s".
std::string headerName(std::string_view text)
{
    std::string name = trimmed(text);
    for (char& c : name)
        c = c == ' ' || c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name;
}

std::vector<std::string> cellsOf(std::string_view line, char separator)
{
    std::vector<std::string> cells;
    std::size_t start = 0;
    bool quoted = false;
    for (std::size_t i = 0; i <= line.size(); ++i) {
        if (i < line.size() && line[i] == '"')
            quoted = !quoted;
        if (i == line.size() || (line[i] == separator && !quoted)) {
            cells.push_back(trimmed(line.substr(start, i - start)));
            start = i + 1;
        }
    }
    return cells;
}

class Reader final {
public:
    Reader(std::string_view csv, std::string_view name) : m_rest(csv), m_name(name) {}

    Result<SpeedTable> read()
    {
        if (!readHeader())
            return m_errors;
        while (!m_rest.empty() && m_measured.size() < kMaxRows)
            readRow();
        if (!m_rest.empty())
            error(m_line + 1, "The table has too many rows.", "more than " + std::to_string(kMaxRows), "at most 1,000,000 rows");
        if (m_measured.empty() && m_errors.empty())
            error(m_line, "The table has no rows.", "", "one row per node or GPU");
        finishChecks();
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
        if (m_errors.size() >= kMaxErrors && !always) {
            ++m_dropped;
            return;
        }
        Diagnostic d;
        d.path = m_name + (line > 0 ? ":" + std::to_string(line) : "");
        d.message = std::move(message);
        d.found = std::move(found);
        if (d.found.size() > 80)
            d.found = d.found.substr(0, 77) + "...";
        d.accepted = std::move(accepted);
        m_errors.push_back(std::move(d));
    }

    bool nextLine(std::string_view& line)
    {
        while (!m_rest.empty()) {
            const std::size_t end = m_rest.find('\n');
            line = m_rest.substr(0, end);
            m_rest = end == std::string_view::npos ? std::string_view{} : m_rest.substr(end + 1);
            ++m_line;
            if (!line.empty() && line.back() == '\r')
                line.remove_suffix(1);
            if (line.size() > kMaxLine) {
                error(m_line, "The line is too long.", std::to_string(line.size()) + " bytes", "at most 4,096 bytes");
                continue;
            }
            if (!trimmed(line).empty() && line.front() != '#')
                return true;
        }
        return false;
    }

    bool readHeader()
    {
        if (m_rest.starts_with("\xEF\xBB\xBF"))
            m_rest.remove_prefix(3);
        std::string_view line;
        if (!nextLine(line)) {
            error(1, "The table is empty.", "", "a header line such as node,gpu,tflops");
            return false;
        }
        for (const char candidate : {'\t', ';', ','})
            if (line.find(candidate) != std::string_view::npos) {
                m_separator = candidate;
                break;
            }
        int nodes = 0, gpus = 0, values = 0;
        std::string names;
        for (const std::string& cell : cellsOf(line, m_separator)) {
            const std::string name = headerName(cell);
            Column column = Column::ignored;
            if (isNodeHeader(name)) {
                column = Column::node;
                ++nodes;
            } else if (isGpuHeader(name)) {
                column = Column::gpu;
                ++gpus;
            } else if (const auto found = valueHeaders().find(name); found != valueHeaders().end()) {
                column = Column::value;
                m_value = found->second;
                m_valueName = name;
                ++values;
            } else {
                m_ignored.push_back(cell);
            }
            m_columns.push_back(column);
            names += (names.empty() ? "" : ", ") + cell;
        }
        if (nodes != 1)
            error(m_line, nodes == 0 ? "No column names the node." : "Several columns name the node.", names,
                  "exactly one of node, host, hostname, node_id, node_name");
        if (gpus > 1)
            error(m_line, "Several columns name the GPU.", names, "at most one of gpu, device, local_rank, gpu_id, gpu_index");
        if (values != 1)
            error(m_line, values == 0 ? "No column holds a speed." : "Several columns hold a speed.", names,
                  "exactly one of relative_speed, speed, speed_percent, tflops, gflops, pflops, time_s, time_ms, time_us");
        m_hasGpu = gpus == 1;
        return m_errors.empty();
    }

    void readRow()
    {
        std::string_view line;
        if (!nextLine(line))
            return;
        const std::vector<std::string> cells = cellsOf(line, m_separator);
        if (cells.size() != m_columns.size()) {
            error(m_line, "The row has another number of cells than the header.", std::to_string(cells.size()),
                  std::to_string(m_columns.size()) + " cells");
            return;
        }
        Measured measured{-1, -1, m_line, 0};
        bool fine = true;
        for (std::size_t c = 0; c < cells.size(); ++c) {
            if (m_columns[c] == Column::node)
                fine = readNode(cells[c], measured) && fine;
            else if (m_columns[c] == Column::gpu)
                fine = readGpu(cells[c], measured) && fine;
            else if (m_columns[c] == Column::value)
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
        const auto [at, added] = m_nodeIndex.try_emplace(cell, static_cast<int>(m_hosts.size()));
        if (added)
            m_hosts.push_back(cell);
        measured.node = at->second;
        return true;
    }

    bool readGpu(const std::string& cell, Measured& measured)
    {
        std::int64_t value = -1;
        const auto [end, problem] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
        if (problem != std::errc() || end != cell.data() + cell.size() || value < 0 || value > kMaxGpu) {
            error(m_line, "The GPU is not a number inside a node.", cell.empty() ? "an empty cell" : cell, "0 to 1023");
            return false;
        }
        measured.gpu = static_cast<int>(value);
        return true;
    }

    bool readValue(const std::string& cell, Measured& measured)
    {
        const auto [end, problem] = std::from_chars(cell.data(), cell.data() + cell.size(), measured.value);
        if (cell.empty() || problem != std::errc()) {
            error(m_line, "The speed is missing or not a number.", cell.empty() ? "an empty cell" : cell, "a positive number in " + m_valueName);
            return false;
        }
        if (end != cell.data() + cell.size()) {
            error(m_line, "The speed carries a unit of its own; the header says " + m_valueName + ".", cell,
                  "numbers without a unit, all in the header's unit");
            return false;
        }
        if (!std::isfinite(measured.value) || measured.value <= 0) {
            error(m_line, "A speed must be positive and finite.", cell, "> 0");
            return false;
        }
        measured.value *= m_value.toBase;
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

    /// Values that lie so far apart that they cannot be in one unit: a factor of 20 off the median is no GPU speed that
    /// trains (Sinha et al., SC22: outliers up to 1.5 times), but percent beside fractions (x 100) and ms beside s (x 1000).
    void finishChecks()
    {
        if (m_measured.size() < 2)
            return;
        std::vector<double> values;
        for (const Measured& m : m_measured)
            values.push_back(m.value);
        const double median = medianOf(values);
        for (const Measured& m : m_measured)
            if (m.value > 20 * median || m.value < median / 20)
                error(m.line, "The speed is more than 20 times off the table's median: another unit?", std::to_string(m.value / m_value.toBase),
                      "values of one unit (median " + std::to_string(median / m_value.toBase) + ")");
    }

    static double medianOf(std::vector<double> values)
    {
        const std::size_t half = values.size() / 2;
        std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half), values.end());
        const double upper = values[half];
        if (values.size() % 2 == 1)
            return upper;
        return 0.5 * (upper + *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half)));
    }

    /// Nodes that are all numbers 0 .. n-1 keep their number as index; host names keep the order of the file.
    void orderByNumber()
    {
        const std::size_t n = m_hosts.size();
        std::vector<int> target(n, -1);
        std::vector<std::string> ordered(n);
        for (std::size_t i = 0; i < n; ++i) {
            std::size_t number = n;
            const std::string& host = m_hosts[i];
            const auto [end, problem] = std::from_chars(host.data(), host.data() + host.size(), number);
            if (problem != std::errc() || end != host.data() + host.size() || number >= n || !ordered[number].empty())
                return;
            target[i] = static_cast<int>(number);
            ordered[number] = host;
        }
        for (Measured& m : m_measured)
            m.node = target[static_cast<std::size_t>(m.node)];
        m_hosts = std::move(ordered);
    }

    SpeedTable table()
    {
        orderByNumber();
        SpeedTable table;
        table.hosts = m_hosts;
        table.unit = m_value.unit;
        std::vector<double> values;
        for (const Measured& m : m_measured)
            values.push_back(m.value);
        // A relative speed already says what 1 is; absolute figures are taken relative to the table's median.
        table.referenceValue = m_value.unit == SpeedUnit::relative ? 1.0 : medianOf(values);
        for (const Measured& m : m_measured) {
            const double relative = m_value.unit == SpeedUnit::seconds ? table.referenceValue / m.value : m.value / table.referenceValue;
            table.rows.push_back({m.node, m.gpu, relative, m.line});
        }
        note(table, "Read " + std::to_string(table.rows.size()) + " speeds of " + std::to_string(table.hosts.size()) + " nodes from the column "
                        + m_valueName + (m_hasGpu ? ", per GPU." : ", per node."));
        if (m_value.unit != SpeedUnit::relative)
            note(table, "Relative speed 1 is the table's median, " + std::to_string(table.referenceValue)
                            + (m_value.unit == SpeedUnit::tflops ? " TFLOP/s." : " s (shorter is faster)."));
        for (const std::string& name : m_ignored)
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

    std::string_view m_rest;
    std::string m_name, m_valueName;
    int m_line = 0;
    char m_separator = ',';
    bool m_hasGpu = false;
    ValueHeader m_value;
    std::vector<Column> m_columns;
    std::vector<std::string> m_ignored, m_hosts;
    std::unordered_map<std::string, int> m_nodeIndex;
    std::unordered_map<std::uint64_t, int> m_seen;
    std::vector<Measured> m_measured;
    Diagnostics m_errors;
    std::size_t m_dropped = 0;
};

} // namespace

Result<SpeedTable> readSpeedTable(std::string_view csv, std::string_view name)
{
    return Reader(csv, name).read();
}

} // namespace prism
