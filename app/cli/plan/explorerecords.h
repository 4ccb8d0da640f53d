// SPDX-License-Identifier: GPL-3.0-or-later
// Common parts of explore and merge: the file of records of a search, and a search as text.
#pragma once

#include "app/cli/frame/cli.h"
#include "core/explore/explore.h"

#include <stop_token>
#include <string>

namespace prism::cli {

/// A table of the best, what the mean would have chosen, and what was omitted.
[[nodiscard]] std::string explorationText(const Exploration& exploration);

/// The records of a search in a file, from which the next run resumes. With an empty path nothing is stored. One thread.
class RecordsFile final {
public:
    explicit RecordsFile(std::string path) : m_path(std::move(path)) {}
    /// Reads what the file holds. Throws InputError where it is of another search.
    [[nodiscard]] ExploreKeeping keeping(const RecordsHead& head, const SearchShard& shard);
    /// Writes as `keeping` asks; stops the search where it cannot.
    void write(const std::string& text);
    [[nodiscard]] std::stop_token stop() const { return m_stop.get_token(); }
    /// Throws InputError where writing failed.
    void requireWritten() const;

private:
    std::string m_path;
    std::stop_source m_stop;
    Diagnostics m_problems;
};

/// Records that are known of a file. Throws InputError.
[[nodiscard]] ExploreRecords recordsOf(const std::string& path);

} // namespace prism::cli
