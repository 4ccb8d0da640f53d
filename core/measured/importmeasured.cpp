// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/importmeasured.h"
#include "core/base/textfile.h"
#include "core/measured/measuredlimits.h"
#include "core/scenario/scenariolimits.h"

#include "core/base/table.h"
#include "core/base/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>

namespace prism {
namespace {

constexpr std::size_t kMaxImportErrors = 100;
constexpr std::size_t kMaxWords = 16; ///< of a line: a row has 13
constexpr double kMaxSeconds = 1e6;
constexpr std::size_t kMaxTypeName = 20; ///< characters

/// Collects errors by line, up to a limit, which is reported as well.
class Errors final {
public:
    void add(std::size_t line, std::string message, std::string_view found, std::string accepted)
    {
        if (m_list.size() == kMaxImportErrors)
            m_list.push_back({Severity::error, "line " + std::to_string(line), "there are more errors", "", "", "", ""});
        if (m_list.size() > kMaxImportErrors)
            return;
        m_list.push_back({Severity::error, "line " + std::to_string(line), std::move(message), std::string(found.substr(0, 60)),
                          std::move(accepted), "", ""});
    }
    [[nodiscard]] bool empty() const { return m_list.empty(); }
    [[nodiscard]] bool full() const { return m_list.size() > kMaxImportErrors; }
    [[nodiscard]] Diagnostics take() { return std::move(m_list); }

private:
    Diagnostics m_list;
};

bool integerOf(std::string_view word, std::int64_t& value)
{
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc{} && end == word.data() + word.size() && value >= 0 && value <= kMaxMeasuredSize;
}

bool realOf(std::string_view word, double& value)
{
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc{} && end == word.data() + word.size() && std::isfinite(value);
}

/// A name of a number type, such as bfloat16, fp8_e4m3 or torch.half.
bool isTypeName(std::string_view name)
{
    return name.size() <= kMaxTypeName && std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
           });
}

/// The op of a program or column name: "all_reduce_perf", "AllReduce", "alltoall" ... Empty for other names.
std::string opOf(std::string_view name)
{
    std::string n;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            n += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (n.ends_with("perf"))
        n.resize(n.size() - 4);
    static const std::map<std::string, std::string> known = {{"allreduce", "all_reduce"},
                                                             {"allgather", "all_gather"},
                                                             {"reducescatter", "reduce_scatter"},
                                                             {"alltoall", "all_to_all"},
                                                             {"sendrecv", "p2p"},
                                                             {"p2p", "p2p"},
                                                             {"gemm", "gemm"},
                                                             {"matmul", "gemm"}};
    const auto it = known.find(n);
    return it == known.end() ? std::string() : it->second;
}

Diagnostic tooLarge(std::size_t size)
{
    return {Severity::error, "", "the text is too large", std::to_string(size) + " bytes", "at most 64 MiB", "", ""};
}

/// A header line: devices are counted, the name of the test is kept.
void readHeader(std::string_view line, std::int64_t& ranks, std::string& op)
{
    const std::vector<std::string_view> w = words(line.substr(1), kMaxWords);
    std::int64_t rank = 0;
    if (w.size() > 2 && w[0] == "Rank" && integerOf(w[1], rank))
        ++ranks;
    if (const std::size_t at = line.find("test starting:"); at != std::string_view::npos)
        op = opOf(trimmed(line.substr(at + 14)));
}

/// A table row: size, count, type, then redop and root in some versions, then time, algbw, busbw and errors once or twice.
bool readTableRow(const std::vector<std::string_view>& w, MeasuredRow& row)
{
    std::size_t time = 0;
    if (w.size() >= 11 && w.size() <= 13)
        time = w.size() - 8;
    else if (w.size() >= 7 && w.size() <= 9)
        time = w.size() - 4;
    else
        return false;
    std::int64_t count = 0;
    double us = 0, bandwidth = 0;
    if (!integerOf(w[0], row.bytes) || !integerOf(w[1], count) || !isTypeName(w[2]) || !realOf(w[time], us)
        || !realOf(w[time + 1], bandwidth))
        return false;
    row.dtype = std::string(w[2]);
    row.seconds = us * 1e-6;
    return us >= 0 && row.seconds <= kMaxSeconds;
}

struct OperatorColumns {
    int op = -1, dtype = -1, m = -1, n = -1, k = -1, ranks = -1, bytes = -1, time = -1;
    double unit = 1;
};

OperatorColumns operatorColumns(const std::vector<std::string>& header)
{
    OperatorColumns c;
    const std::map<std::string, int OperatorColumns::*> names = {{"op", &OperatorColumns::op},
                                                                 {"dtype", &OperatorColumns::dtype},
                                                                 {"m", &OperatorColumns::m},
                                                                 {"n", &OperatorColumns::n},
                                                                 {"k", &OperatorColumns::k},
                                                                 {"ranks", &OperatorColumns::ranks},
                                                                 {"num_gpus", &OperatorColumns::ranks},
                                                                 {"bytes", &OperatorColumns::bytes}};
    const std::map<std::string, double> times = {{"time_s", 1.0}, {"time_ms", 1e-3}, {"time_us", 1e-6}, {"latency_us", 1e-6}};
    for (std::size_t i = 0; i < header.size(); ++i) {
        const std::string name = lowered(header[i]);
        if (const auto it = names.find(name); it != names.end())
            c.*it->second = static_cast<int>(i);
        if (const auto it = times.find(name); it != times.end() && c.time < 0) {
            c.time = static_cast<int>(i);
            c.unit = it->second;
        }
    }
    return c;
}

/// Reads one line of an operator table; every invalid field is an error.
void readOperator(std::size_t line, const std::vector<std::string>& fields, const OperatorColumns& c, std::vector<MeasuredRow>& rows,
                  Errors& errors)
{
    const auto field = [&](int column) {
        return column >= 0 && static_cast<std::size_t>(column) < fields.size() ? fields[static_cast<std::size_t>(column)] : std::string();
    };
    MeasuredRow row;
    bool good = true;
    const auto reject = [&](std::string message, const std::string& found, std::string accepted) {
        errors.add(line, std::move(message), found, std::move(accepted));
        good = false;
    };
    row.op = c.op < 0 ? "gemm" : opOf(field(c.op));
    if (row.op.empty()) {
        reject("this operator is not known", field(c.op), "gemm, all_reduce, all_gather, reduce_scatter, all_to_all or p2p");
        return;
    }
    row.dtype = field(c.dtype);
    if (!isTypeName(row.dtype))
        reject("this is not a number type", row.dtype, "at most 20 letters, digits, '_', '.' or '-', such as bfloat16");
    const auto size = [&](const char* name, int column, std::int64_t smallest, std::int64_t& value,
                          std::int64_t largest = kMaxMeasuredSize) {
        const std::string text = field(column);
        if (!integerOf(text, value) || value < smallest || value > largest)
            reject(std::string(name) + " is not a size", text,
                   "an integer from " + std::to_string(smallest) + " to " + std::to_string(largest));
    };
    if (row.op == "gemm") {
        size("m", c.m, 1, row.m);
        size("n", c.n, 1, row.n);
        size("k", c.k, 1, row.k);
    } else {
        size("ranks", c.ranks, 2, row.ranks, kMaxMeasuredRanks);
        size("bytes", c.bytes, 1, row.bytes);
    }
    double time = 0;
    if (const std::string text = field(c.time); !realOf(text, time) || !(time > 0) || time * c.unit > kMaxSeconds)
        reject("this is not a time", text, "a number > 0, at most 1e6 seconds");
    row.seconds = time * c.unit;
    if (good)
        rows.push_back(std::move(row));
}

} // namespace

Result<std::vector<MeasuredRow>> ncclTestsRows(std::string_view text, const NcclTestsOptions& options)
{
    if (text.size() > kMaxTextBytes)
        return tooLarge(text.size());
    Errors errors;
    std::int64_t ranks = 0;
    std::string op;
    std::vector<MeasuredRow> rows;
    std::vector<std::size_t> lineOf;
    for (TextLines lines(text); lines.next() && !errors.full();) {
        std::string_view line = lines.text();
        if (const std::size_t at = line.find("<stdout>:"); line.starts_with('[') && at != std::string_view::npos)
            line.remove_prefix(at + 9); // mpirun --tag-output
        const std::vector<std::string_view> w = words(line, kMaxWords);
        if (w.empty())
            continue;
        if (w.front().front() == '#') {
            readHeader(line.substr(line.find('#')), ranks, op);
            continue;
        }
        std::int64_t first = 0;
        if (!integerOf(w.front(), first) && w.front().find_first_not_of("-0123456789.") != std::string_view::npos)
            continue; // what a launcher printed among the table
        MeasuredRow row;
        if (!readTableRow(w, row))
            errors.add(lines.line(), "this row of the table cannot be read", trimmed(line),
                       "size count type [redop [root]] time algbw busbw errors [the same in place]");
        else if (rows.size() >= kMaxImportedRows)
            errors.add(lines.line(), "there are too many rows", "", "at most " + std::to_string(kMaxImportedRows));
        else if (row.bytes > 0 && row.seconds > 0) // sizes below one element per rank are printed as 0
            rows.push_back(row);
    }
    op = options.op.empty() ? op : options.op;
    ranks = options.ranks > 0 ? options.ranks : ranks;
    if (op.empty() || op == "gemm" || opOf(op) != op)
        errors.add(1, "the log does not name the collective", op, "--op all_reduce, all_gather, reduce_scatter, all_to_all or p2p");
    if (ranks < 2)
        errors.add(1, "the log does not name at least two ranks", std::to_string(ranks), "lines \"# Rank 0 ...\", or --ranks N");
    if (rows.empty() && errors.empty())
        errors.add(1, "there is no table in this log", "", "rows of nccl-tests");
    if (!errors.empty())
        return errors.take();
    for (MeasuredRow& r : rows) {
        r.op = op;
        r.ranks = ranks;
    }
    return rows;
}

Result<std::vector<MeasuredRow>> operatorTableRows(std::string_view text)
{
    if (text.size() > kMaxTextBytes)
        return tooLarge(text.size());
    Errors errors;
    std::vector<MeasuredRow> rows;
    OperatorColumns columns;
    TableRows table(text, {.trim = true});
    for (bool header = true; table.next() && !errors.full(); header = false) {
        if (table.problem()) {
            errors.add(table.line(), table.problem()->message, table.problem()->found, table.problem()->accepted);
        } else if (header) {
            columns = operatorColumns(table.cells());
            if (columns.time < 0)
                errors.add(table.line(), "the header names no time", table.text(), "a column time_s, time_ms or time_us");
            if (columns.op < 0 && (columns.m < 0 || columns.n < 0 || columns.k < 0))
                errors.add(table.line(), "the header names no operator", table.text(), "a column op, or m, n and k");
        } else if (columns.time < 0) {
            break;
        } else if (rows.size() >= kMaxImportedRows) {
            errors.add(table.line(), "there are too many rows", "", "at most " + std::to_string(kMaxImportedRows));
        } else {
            readOperator(table.line(), table.cells(), columns, rows, errors);
        }
    }
    if (rows.empty() && errors.empty())
        errors.add(1, "there is no row in this table", "", "a header and rows");
    if (!errors.empty())
        return errors.take();
    return rows;
}

int addMeasuredRows(Scenario& scenario, std::vector<MeasuredRow> rows)
{
    const auto key = [](const MeasuredRow& r) { return std::tuple(r.op, r.dtype, r.m, r.n, r.k, r.ranks, r.bytes); };
    std::map<std::tuple<std::string, std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>, std::size_t> at;
    std::vector<MeasuredRow>& list = scenario.measured.rows;
    for (std::size_t i = 0; i < list.size(); ++i)
        at[key(list[i])] = i;
    int replaced = 0;
    for (MeasuredRow& r : rows) {
        const auto [it, added] = at.try_emplace(key(r), list.size());
        if (added) {
            list.push_back(std::move(r));
        } else {
            list[it->second] = std::move(r);
            ++replaced;
        }
    }
    return replaced;
}

} // namespace prism
