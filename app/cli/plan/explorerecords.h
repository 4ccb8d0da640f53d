// SPDX-License-Identifier: GPL-3.0-or-later
// Common parts of explore and merge: the file of records of a search, and a search as text.
#pragma once

#include "app/cli/frame/cli.h"
#include "core/explore/explore.h"

#include <stop_token>
#include <string>

namespace prism::cli {

/// The exploration as text: the best configurations, the choice by the mean, and the omitted ones.
[[nodiscard]] std::string explorationText(const Exploration& exploration);

/// The records of a search in a file, from which the next run resumes. With an empty path nothing is stored. One thread.
class RecordsFile final {
public:
    explicit RecordsFile(std::string path) : m_path(std::move(path)) {}
    /// Reads the file's records. Throws InputError if they are of another search.
    [[nodiscard]] ExploreCheckpoint checkpoint(const RecordsHead& head, const SearchShard& shard);
    /// Writes text that the search passes on; stops the search if writing fails.
    void write(const std::string& text);
    [[nodiscard]] std::stop_token stop() const { return m_stop.get_token(); }
    /// Throws InputError if writing failed.
    void requireWritten() const;

private:
    std::string m_path;
    std::stop_source m_stop;
    Diagnostics m_problems;
};

/// The records in a file. Throws InputError.
[[nodiscard]] ExploreRecords recordsOf(const std::string& path);

} // namespace prism::cli
