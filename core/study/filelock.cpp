// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/filelock.h"

#include "core/base/jsontext.h"
#include "core/base/platform/process.h"
#include "core/study/database.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace prism {

namespace {

constexpr std::size_t kMaxHolderBytes = 4096;
constexpr std::size_t kMaxHolderFieldBytes = 200;

std::string holderJson(const StudyHolder& holder)
{
    const nlohmann::json json = {{"program", holder.program}, {"host", holder.host}, {"pid", holder.pid}, {"since_ms", holder.sinceMs}};
    return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

StudyHolder readHolder(int descriptor)
{
    std::string text(kMaxHolderBytes, '\0');
    const ssize_t size = pread(descriptor, text.data(), text.size(), 0);
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    const Result<nlohmann::json> document = parseJson(text, {.maxBytes = kMaxHolderBytes});
    StudyHolder holder{.program = "another program", .host = "unknown"};
    if (!document || !document->is_object())
        return holder;
    const nlohmann::json& json = *document;
    const auto textOf = [&](const char* key, std::string& value) {
        if (json.contains(key) && json[key].is_string())
            value = json[key].get<std::string>().substr(0, kMaxHolderFieldBytes);
    };
    textOf("program", holder.program);
    textOf("host", holder.host);
    if (json.contains("pid") && json["pid"].is_number_integer())
        holder.pid = json["pid"].get<std::int64_t>();
    if (json.contains("since_ms") && json["since_ms"].is_number_integer())
        holder.sinceMs = json["since_ms"].get<std::int64_t>();
    return holder;
}

/// The file at the path is still the one behind the descriptor (its holder removes it when it closes).
bool stillThere(const std::string& path, int descriptor)
{
    struct stat byPath {};
    struct stat byDescriptor {};
    return stat(path.c_str(), &byPath) == 0 && fstat(descriptor, &byDescriptor) == 0 && byPath.st_ino == byDescriptor.st_ino
           && byPath.st_dev == byDescriptor.st_dev;
}

} // namespace

StudyHolder currentHolder(const std::string& program, std::int64_t nowMs)
{
    return {.program = program, .host = hostName(), .pid = processId(), .sinceMs = nowMs};
}

std::unique_ptr<FileLock> FileLock::take(const std::string& studyPath, const StudyHolder& me, std::optional<StudyHolder>& other)
{
    const std::string path = studyPath + "-lock";
    for (;;) {
        const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
        if (descriptor < 0) {
            const int error = errno;
            const bool noFile = error == ELOOP || error == EISDIR || error == ENXIO;
            failStudy(study_problem::kReadOnly,
                      noFile ? "Where the lock of the study belongs lies something that is no file."
                             : "The folder of the study cannot be written.",
                      path + ": " + std::strerror(error));
        }
        if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
            const int error = errno;
            if (error == EWOULDBLOCK)
                other = readHolder(descriptor);
            close(descriptor);
            if (error == EINTR)
                continue;
            if (error != EWOULDBLOCK)
                failStudy(study_problem::kReadOnly, "The file system of the study has no file locks.", std::strerror(error),
                          "copy the study to a local disk to edit it");
            return nullptr;
        }
        if (!stillThere(path, descriptor)) {
            close(descriptor);
            continue;
        }
        // Who has it is information for people: the lock holds without it, also on a full disk.
        const std::string text = holderJson(me);
        if (ftruncate(descriptor, 0) == 0) [[maybe_unused]]
            const auto written = pwrite(descriptor, text.data(), text.size(), 0);
        return std::unique_ptr<FileLock>(new FileLock(path, descriptor));
    }
}

FileLock::~FileLock()
{
    unlink(m_path.c_str());
    close(m_descriptor);
}

} // namespace prism
