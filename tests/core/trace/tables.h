// SPDX-License-Identifier: GPL-3.0-or-later
// Small stage tables as text, and files to read them from.
#pragma once

#include "core/trace/stagetable.h"

#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace prism {

inline const char* const kTableHeader = "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc\n";

/// One row; sequence, chunk 0 and micro-batch are the sequence.
inline std::string tableRow(int replica, int stage, int step, const std::string& type, double start, double duration, int sequence = 0)
{
    std::ostringstream row;
    row.precision(17);
    row << replica << ',' << stage << ',' << 10 * stage + replica << ',' << step << ',' << type << ',' << start << ',' << duration << ','
        << sequence << ",0," << sequence << ',' << stage << '\n';
    return row.str();
}

/// A file that lives as long as this.
class TemporaryFile {
public:
    TemporaryFile(const std::string& name, const std::string& content, bool gzip = false)
        : m_path((std::filesystem::temp_directory_path() / ("prism-trace-" + std::to_string(::getpid()) + "-" + name)).string())
    {
        if (gzip) {
            const gzFile file = gzopen(m_path.c_str(), "wb");
            gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
            gzclose(file);
        } else {
            std::ofstream(m_path, std::ios::binary) << content;
        }
    }
    ~TemporaryFile() { std::filesystem::remove(m_path); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    std::string m_path;
};

inline Result<TraceJob> jobOfText(const std::string& text, const StageTableMeta& meta = {})
{
    const TemporaryFile file("table.csv", text);
    return readStageTable(file.path(), meta);
}

/// Whether a note contains `part`.
inline bool mentions(const Diagnostics& notes, const std::string& part)
{
    for (const Diagnostic& d : notes)
        if (d.message.find(part) != std::string::npos)
            return true;
    return false;
}

} // namespace prism
