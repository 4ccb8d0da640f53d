// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/follow/wholelog.h"

#include "core/base/textfile.h"
#include "core/base/table.h"
#include "core/measured/eventlines.h"
#include "core/measured/loglines.h"
#include "core/trace/tracelimits.h"

#include <spdlog/fmt/fmt.h>

namespace prism {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 18;

/// Reads a log line by line and keeps only the selected rows.
class SelectedLog final {
public:
    explicit SelectedLog(const WholeLogOptions& options)
        : m_reader(options.log),
          m_selection(options.where),
          m_selects(!options.where.empty())
    {
    }

    void line(std::string_view text)
    {
        ++m_line;
        if (!isRefused() && (!m_selects || isSelected(text)))
            m_reader.line(text);
    }
    [[nodiscard]] bool isRefused() const { return !m_problems.empty() || m_reader.isRefused(); }
    [[nodiscard]] Result<StepLog> whole() { return m_problems.empty() ? m_reader.whole() : Result<StepLog>(m_problems); }

private:
    bool isSelected(std::string_view text)
    {
        TableRows row(text);
        if (!row.next()) // an empty line
            return false;
        const Result<bool> takes = row.problem() ? *row.problem() : m_selection.takes(row.cells());
        if (!takes.ok()) {
            m_problems = takes.errors();
            for (Diagnostic& d : m_problems)
                d.path = "line " + std::to_string(m_line);
        }
        return takes.ok() && *takes;
    }

    StepLogReader m_reader;
    RowSelection m_selection;
    Diagnostics m_problems;
    std::size_t m_line = 0;
    bool m_selects;
};

/// Whether the text has to be in memory as a whole: it is converted before it has lines.
bool isConverted(std::string_view start)
{
    return mayBeDocument(start) || start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF");
}

Result<StepLog> convertedLog(ByteSource& source, std::string text, const WholeLogOptions& options)
{
    const std::size_t had = text.size();
    text.resize(kMaxTextBytes + 1);
    text.resize(had + source.read(std::span<char>(text).subspan(had)));
    if (text.size() > kMaxTextBytes)
        return Diagnostic{.message = "A log in UTF-16 or in one JSON document is too large.",
                          .accepted = fmt::format("at most {} MiB, or UTF-8 with one step per line", kMaxTextBytes >> 20)};
    const Result<std::string> rows = selectedRows(utf8Of(std::move(text)), options.where);
    return rows.ok() ? readStepLog(*rows, options.log) : Result<StepLog>(rows.errors());
}

Result<StepLog> streamedLog(ByteSource& source, std::string piece, const WholeLogOptions& options)
{
    SelectedLog log(options);
    LogLines lines;
    const auto line = [&](std::string_view text) { log.line(text); };
    for (std::size_t got = piece.size(); got > 0 && !log.isRefused(); got = source.read(piece)) {
        lines.take(std::string_view(piece).substr(0, got), line);
        piece.resize(kPieceBytes);
    }
    lines.finish(line);
    return lines.isDamaged() ? damagedEvents() : log.whole();
}

/// What keeps a stream from being taken for the whole file.
Diagnostics brokenStream(StreamEnd end)
{
    switch (end) {
    case StreamEnd::truncated:
    case StreamEnd::damaged:
        return {{.message = "The file cannot be decompressed: it is damaged or cut off.", .accepted = "text or gzip"}};
    case StreamEnd::bomb:
        return {{.message = "The compressed file grows too much.",
                 .accepted = fmt::format("at most {} times its size beyond {} MiB", kMaxInflation, kFreelyInflatedBytes >> 20)}};
    case StreamEnd::cancelled:
        return {{.message = "Reading was cancelled."}};
    default:
        return {};
    }
}

} // namespace

Result<StepLog> readStepLogFile(const std::string& path, const WholeLogOptions& options, const ReadControl& control)
{
    Result<ByteSource> source = ByteSource::open(path == "-" ? "/dev/stdin" : path, control);
    if (!source.ok())
        return source.errors();
    std::string start(kPieceBytes, '\0');
    start.resize(source->read(start));
    if (const std::string_view packed = packedAs(start); !packed.empty()) // of standard input
        return Diagnostic{.message = "The file is packed as " + std::string(packed) + ": unpack it first.", .accepted = "text or gzip"};
    Result<StepLog> log =
        isConverted(start) ? convertedLog(*source, std::move(start), options) : streamedLog(*source, std::move(start), options);
    if (Diagnostics broken = brokenStream(source->end()); !broken.empty())
        return broken;
    return log;
}

} // namespace prism
