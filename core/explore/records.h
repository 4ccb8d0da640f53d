// SPDX-License-Identifier: GPL-3.0-or-later
// Checkpoint file of a search as JSON Lines: a search resumes from it, and those of its shards are merged. Every line ends with a
// checksum.
#pragma once

#include "core/cost/engineversion.h"
#include "core/explore/race.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace prism {

/// What the first line names.
inline constexpr const char* kRecordsFormat = "prism-explore-records";
inline constexpr int kRecordsVersion = 2; ///< 1: without checksums

/// Of the text of the records, also of all shards that are merged; of the entries of all these lines (what fits, reasons, what was
/// omitted; a line itself counts as kEntriesOfLine), some 60 bytes each.
inline constexpr std::size_t kMaxRecordsBytes = std::size_t{512} << 20, kMaxRecordsEntries = 8'000'000, kEntriesOfLine = 4;

/// The first line: the query, the scenario and the version. Two runs with the same text before the shard make the same rows.
struct RecordsHead {
    Scenario scenario; ///< with what its calibration file holds, not the file's name alone
    ExploreQuery query;
    std::uint64_t seed = 1;
    std::string engine = engineVersion(); ///< of the program and of its constants
};

/// Rows by what they are of. Plain value.
struct ExploreRecords {
    std::string head; ///< line of recordsHead, without its shard and line end; empty = nothing known
    SearchShard shard;
    std::map<std::int64_t, QuickPart> parts;
    std::map<std::pair<std::int64_t, int>, SampleRow> rows; ///< by index and number of samples
    bool complete = false;                                  ///< the search had ended
    std::size_t textBytes = 0, entries = 0;                 ///< of what was read
};

/// The line without its end; `shard` of the query is not in it.
[[nodiscard]] std::string headLine(const RecordsHead& head);
/// Reads it back. Errors: another format or version of the program, a scenario or a query that is wrong.
[[nodiscard]] Result<RecordsHead> recordsHead(const std::string& text);

[[nodiscard]] std::string shardLine(const SearchShard& shard);
[[nodiscard]] std::string partLine(std::int64_t part, const QuickPart& content);
[[nodiscard]] std::string rowLine(const SampleRow& row);
[[nodiscard]] std::string endLine();

/// The text of a file: each line with the CRC-32 (zlib) of everything before it, which detects edited, moved and removed lines.
class RecordsText final {
public:
    void add(std::string_view line); ///< one of the lines above
    [[nodiscard]] const std::string& text() const { return m_text; }

private:
    std::string m_text;
    std::uint32_t m_checksum = 0;
};

/// Reads records; a last line without its end is omitted (the writer was killed). Errors: invalid lines, or lines whose checksum does not
/// match, with their numbers, up to 20; values that no search gives (negative, beyond 1e15, percentiles out of order); more entries than
/// kMaxRecordsEntries.
[[nodiscard]] Result<ExploreRecords> recordsFromText(std::string_view text, const std::string& name);

/// An error if these are too large to be merged: larger than the records of one search may be. Empty = they can be merged.
[[nodiscard]] Diagnostics tooLargeTogether(const std::vector<ExploreRecords>& shards);

/// All parts of one search together. Errors: no records, other searches among them, parts that are missing or duplicate.
[[nodiscard]] Result<ExploreRecords> joined(std::vector<ExploreRecords> shards);

/// The line (one JSON object that is not empty, without its line end) with "crc" as its last member. `checksum` is that of the lines
/// before it and becomes that of this line.
[[nodiscard]] std::string withChecksum(std::string_view object, std::uint32_t& checksum);

/// A line split into what withChecksum was given and its checksum.
struct CheckedLine {
    std::string object;
    std::uint32_t stated = 0, computed = 0; ///< equal = the line is as it was written
};
/// Nothing where the line ends without a checksum. `checksum` is set to the stated one, so that one changed line gives only one error.
[[nodiscard]] std::optional<CheckedLine> checkedLine(std::string_view line, std::uint32_t& checksum);
[[nodiscard]] std::string checksumText(std::uint32_t checksum); ///< eight hexadecimal digits

} // namespace prism
