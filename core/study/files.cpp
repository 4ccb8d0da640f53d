// SPDX-License-Identifier: GPL-3.0-or-later
// Whole files: made complete or not at all, and copies of an open study.
#include "core/base/platform/newfile.h"
#include "core/study/impl.h"
#include "core/study/schema.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace prism {

using namespace study_problem;

namespace {

[[noreturn]] void failFile(const std::string& message, const std::string& path)
{
    const int error = errno;
    const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
    failStudy(full ? kDiskFull : kInputOutput, message, path + ": " + std::strerror(error), "choose another place");
}

std::string folderOf(const std::string& path)
{
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

bool sameFile(const std::string& a, const std::string& b)
{
    struct stat first {};
    struct stat second {};
    return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 && first.st_ino == second.st_ino && first.st_dev == second.st_dev;
}

/// Closed when it goes; -1 where opening failed.
struct Descriptor {
    explicit Descriptor(int opened) : number(opened) {}
    ~Descriptor()
    {
        if (number >= 0)
            ::close(number);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    const int number;
};

void applyUnsaved(const std::string& path, const StudyOptions& options, const std::map<std::int64_t, std::string>& unsaved)
{
    StudyOptions own = options;
    own.checkBudgetSeconds = 0;
    Result<Study> copy = Study::open(path, own);
    if (!copy.ok())
        throw StudyError{copy.errors().front()};
    for (const auto& [id, json] : unsaved) {
        const auto revision = copy->updateScenario({id}, {.json = json, .label = "Edit that could not be saved before"});
        if (!revision.ok())
            throw StudyError{revision.errors().front()};
    }
}

} // namespace

bool fileExists(const std::string& path)
{
    return access(path.c_str(), F_OK) == 0;
}
void removeFile(const std::string& path)
{
    unlink(path.c_str());
}

void copyFile(const std::string& from, const std::string& to)
{
    const Descriptor in(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
    const Descriptor out(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (out.number < 0)
        failFile("The file cannot be written.", to);
    std::string part(std::size_t{1} << 16, '\0');
    for (ssize_t got = 0; in.number >= 0 && (got = ::read(in.number, part.data(), part.size())) > 0;)
        for (ssize_t done = 0; done < got;) {
            const ssize_t wrote = ::write(out.number, part.data() + done, static_cast<std::size_t>(got - done));
            if (wrote <= 0)
                failFile("The file cannot be written.", to);
            done += wrote;
        }
}

void syncFile(const std::string& path)
{
    for (const std::string& place : {path, folderOf(path)}) {
        const int descriptor = ::open(place.c_str(), O_RDONLY | O_CLOEXEC);
        if (descriptor < 0)
            failFile("The file cannot be written.", place);
        const bool done = fsync(descriptor) == 0 || errno == EINVAL; // a folder of some network shares cannot be flushed
        ::close(descriptor);
        if (!done)
            failFile("The file cannot be written.", place);
    }
}

void makeFile(const std::string& path, bool replace, const std::function<void(const std::string&)>& make)
{
    if (!replace && fileExists(path))
        failStudy(kExists, "There is a file of this name already.", path, "choose another name");
    const std::string temporary = randomNameBeside(path); // no file of somebody else's has it
    const auto cleanUp = [&] {
        for (const char* suffix : {"", "-journal", "-lock"})
            removeFile(temporary + suffix);
    };
    try {
        make(temporary);
        syncFile(temporary);
        if (replace) {
            if (std::rename(temporary.c_str(), path.c_str()) != 0)
                failFile("The file cannot be written.", path);
        } else if (link(temporary.c_str(), path.c_str()) != 0) {
            if (errno == EEXIST)
                failStudy(kExists, "There is a file of this name already.", path, "choose another name");
            // Some file systems have no links; there the check above has to do.
            if (std::rename(temporary.c_str(), path.c_str()) != 0)
                failFile("The file cannot be written.", path);
        }
        syncFile(path);
    } catch (...) {
        cleanUp();
        throw;
    }
    cleanUp();
}

void Study::Impl::writeMirror(const std::string& to) const
{
    Impl copy;
    copy.options = options;
    copy.db = Database(to, Database::Mode::create, {});
    migrateStudy(copy.db);
    Transaction transaction(copy.db);
    copy.db.run("UPDATE study SET name = ?1, created_ms = ?2, program = ?3", name, now(), options.program + " " + PRISM_VERSION);
    for (const Row& row : rows) {
        const StudyScenario& s = row.scenario;
        copy.db.run("INSERT INTO scenario (id, name, position, colour, line_style, note, visible, archived) "
                    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                    s.id.value, s.name, row.position, s.colour, s.lineStyle, s.note, std::int64_t{s.visible}, std::int64_t{s.archived});
        copy.db.run("UPDATE scenario SET current = ?1 WHERE id = ?2", copy.addRevision(s.id.value, now(), "Saved from memory", s.json),
                    s.id.value);
    }
    for (const Row& row : rows)
        if (row.scenario.parent.value != 0)
            copy.setField(row.scenario.id.value, "parent", row.scenario.parent.value);
    if (baseline.value != 0)
        copy.setField(0, "baseline", baseline.value);
    transaction.commit();
}

Diagnostics Study::saveCopy(const std::string& path) const
{
    const std::lock_guard guard(m_impl->mutex);
    const Impl& impl = *m_impl;
    Diagnostics warnings;
    Diagnostics problem = attempt([&] {
        std::unique_ptr<FileLock> lock;
        if (path == impl.path || sameFile(path, impl.path)) {
            if (impl.change() == StudyChange::none)
                failStudy(kExists, "The copy would replace the open study itself.", path, "choose another name");
        }
        if (path != impl.path || !impl.lock) {
            std::optional<StudyHolder> other;
            lock = FileLock::take(path, currentHolder(impl.options.program, impl.now()), other);
            if (!lock)
                failStudy(kInUse, "The file to be replaced is open in " + (other ? other->text() : "another program") + ".", path,
                          "choose another name");
        }
        makeFile(path, true, [&](const std::string& temporary) {
            const Diagnostics unread = attempt([&] {
                if (impl.change() == StudyChange::contents)
                    failStudy(kChanged, "Another program changed the study file.", impl.path);
                impl.db.run("VACUUM INTO ?1", temporary);
            });
            if (!unread.empty()) {
                removeFile(temporary);
                impl.writeMirror(temporary);
                warnings.push_back({Severity::warning, unread.front().path,
                                    "The copy holds the scenarios as they are shown; their history and results could not be "
                                    "read from the study file.",
                                    unread.front().message});
            }
            if (!impl.unsaved.empty())
                applyUnsaved(temporary, impl.options, impl.unsaved);
        });
    });
    return problem.empty() ? warnings : problem;
}

} // namespace prism
