// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/filelock.h"

#include "core/base/platform/process.h"
#include "core/study/database.h"

#include <cerrno>
#include <cstring>

namespace prism {

StudyHolder currentHolder(const std::string& program, std::int64_t nowMs)
{
    return {.program = program, .host = hostName(), .pid = processId(), .sinceMs = nowMs};
}

std::shared_ptr<FileLock> FileLock::take(const std::string& path, const StudyHolder& me, std::optional<StudyHolder>& other)
{
    for (;;) {
        OpenFile file = OpenFile::at(path);
        if (!file)
            failStudy(study_problem::kInputOutput, "The file cannot be opened.", path + ": " + std::strerror(errno));
        if (!file.lock(me, other))
            return nullptr;
        std::shared_ptr<FileLock> lock(new FileLock(std::move(file)));
        if (lock->m_file.isAt(path)) // not replaced between opening and locking
            return lock;
    }
}

} // namespace prism
