// SPDX-License-Identifier: GPL-3.0-or-later
// Whole files: made complete or not at all, and copies of an open study.
#include "core/base/platform/newfile.h"
#include "core/study/impl.h"
#include "core/study/schema.h"
#include "core/study/siblings.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace prism {

using namespace study_problem;

namespace {

constexpr std::string_view kUnfinished = "-prism-new"; ///< how the names of unfinished files end
constexpr int kTries = 100;

[[noreturn]] void failFile(const std::string& message, const std::string& path, int error = errno)
{
    const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
    failStudy(full ? kDiskFull : kInputOutput, message, path + ": " + std::strerror(error), "choose another place");
}

std::string folderOf(const std::string& path)
{
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// A new, locked file in the folder of `path`, removed by the destructor unless it got its name.
class Unfinished final {
public:
    Unfinished(const std::string& path, const StudyHolder& me)
    {
        for (int i = 0; !m_study.lock; ++i) {
            m_study.path = randomNameNextTo(path) + std::string(kUnfinished);
            const int descriptor = ::open(m_study.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
            if (descriptor < 0)
                failFile("The file cannot be written.", m_study.path);
            ::close(descriptor);
            // Until it is locked, another program may take it for one that was left behind, and remove it.
            std::optional<StudyHolder> other;
            const Diagnostics problem = attempt([&] { m_study.lock = FileLock::take(m_study.path, me, other); });
            if (!problem.empty() && (fileExists(m_study.path) || i >= kTries)) {
                removeFile(m_study.path);
                throw StudyError{problem.front()};
            }
        }
    }
    ~Unfinished()
    {
        if (!m_kept)
            removeFile(m_study.path);
        removeFile(m_study.path + "-journal");
    }
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;

    [[nodiscard]] const NewStudy& study() const { return m_study; }
    /// Renames it to `path`. An existing file is replaced, or kept with EEXIST.
    [[nodiscard]] bool keep(const std::string& path, bool replace)
    {
        const char* from = m_study.path.c_str();
        if (!replace) {
            if (renameat2(AT_FDCWD, from, AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0)
                return m_kept = true;
            if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
                return false;
            if (link(from, path.c_str()) == 0)
                return true; // the other name goes with this
            if (errno == EEXIST || fileExists(path))
                return errno = EEXIST, false;
        }
        return m_kept = std::rename(from, path.c_str()) == 0;
    }

private:
    NewStudy m_study;
    bool m_kept = false;
};

void flush(int descriptor, const std::string& path)
{
    if (fsync(descriptor) != 0 && errno != EINVAL) // a folder of some network shares cannot be flushed
        failFile("The file cannot be written.", path);
}

void flushFolder(const std::string& path)
{
    const int descriptor = ::open(folderOf(path).c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        failFile("The file cannot be written.", path);
    const Diagnostics problem = attempt([&] { flush(descriptor, path); });
    ::close(descriptor);
    if (!problem.empty())
        throw StudyError{problem.front()};
}

/// The lock of the file that is replaced; nothing where there is none, or where the caller has it.
std::shared_ptr<FileLock> lockOfReplaced(const std::string& path, const MakeOptions& how)
{
    if (!fileExists(path) || (how.held && how.held->file().isAt(path)))
        return nullptr;
    std::optional<StudyHolder> other;
    std::shared_ptr<FileLock> lock = FileLock::take(path, how.me, other);
    if (!lock)
        failStudy(kInUse, "The file to be replaced is open in " + (other ? other->text() : "another program") + ".", path,
                  "choose another name");
    struct stat status {};
    if (stat(path.c_str(), &status) == 0 && (status.st_mode & S_IWUSR) == 0)
        failStudy(kReadOnly, "The file to be replaced is write-protected.", path, "choose another name");
    return lock;
}

void applyUnsaved(const NewStudy& made, const StudyOptions& options, const std::map<std::int64_t, std::string>& unsaved)
{
    StudyOptions own = options;
    own.access = StudyAccess::readWrite;
    own.checkBudgetSeconds = 0;
    Study copy(Study::Impl::openFile(made.path, own, made.lock));
    for (const auto& [id, json] : unsaved) {
        const auto revision = copy.updateScenario({id}, {.json = json, .label = "Edit that could not be saved before"});
        if (!revision.ok())
            throw StudyError{revision.errors().front()};
    }
}

/// Whether makeFile's unfinished files look like this one: empty, still without a header, or a database.
bool looksUnfinished(const std::string& path)
{
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid())
        return false;
    const std::string header = OpenFile::at(path).bytes(0, 16);
    return header.find_first_not_of('\0') == std::string::npos || header == std::string("SQLite format 3", 16);
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
    const OpenFile in = OpenFile::at(from);
    const int out = ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (out < 0)
        failFile("The file cannot be written.", to);
    ssize_t written = 1; // less than requested where the disk gets full: the write after that one has the reason
    std::string part;
    for (std::uint64_t at = 0; written > 0 && !(part = in.bytes(at, std::size_t{1} << 16)).empty();
         at += static_cast<std::uint64_t>(written))
        written = ::write(out, part.data(), part.size());
    const int error = errno;
    ::close(out);
    if (written <= 0)
        failFile("The file cannot be written.", to, error);
}

void removeUnfinished(const std::string& path)
{
    std::vector<std::string> found;
    (void)attempt([&] {
        for (const auto& entry : std::filesystem::directory_iterator(folderOf(path))) {
            const std::string name = entry.path().filename().string();
            if (name.starts_with('.') && name.ends_with(kUnfinished))
                found.push_back(entry.path().string());
        }
    });
    for (const std::string& file : found)
        (void)attempt([&] {
            std::optional<StudyHolder> other;
            if (looksUnfinished(file) && FileLock::take(file, {}, other)) {
                removeFile(file + "-journal");
                removeFile(file);
            }
        });
}

std::shared_ptr<FileLock> makeFile(const std::string& requested, const MakeOptions& how, const std::function<void(const NewStudy&)>& make)
{
    const std::string path = realPath(requested); // a link stays a link to the new content
    if (!how.replace && fileExists(path))
        failStudy(kExists, "There is a file of this name already.", path, "choose another name");
    std::shared_ptr<FileLock> replaced = lockOfReplaced(path, how);
    bool there = fileExists(path);
    removeUnfinished(path);
    Unfinished made(path, how.me);
    const int descriptor = made.study().lock->file().descriptor();
    struct stat old {};
    if (there && stat(path.c_str(), &old) == 0)
        (void)fchmod(descriptor, old.st_mode & 0777U);
    make(made.study());
    flush(descriptor, path);
    while (!made.keep(path, there)) {
        if (there || errno != EEXIST)
            failFile("The file cannot be written.", path);
        if (!how.replace)
            failStudy(kExists, "There is a file of this name already.", path, "choose another name");
        replaced = lockOfReplaced(path, how); // it appeared since
        there = true;
    }
    flushFolder(path);
    return made.study().lock;
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

std::shared_ptr<FileLock> Study::Impl::writeCopy(const std::string& to, Diagnostics& warnings) const
{
    if (!path.empty() && OpenFile::at(path).isAt(to) && change() == StudyChange::none)
        failStudy(kExists, "The copy would replace the open study itself.", to, "choose another name");
    return makeFile(to, {me(), true, lock.get()}, [&](const NewStudy& made) {
        const Diagnostics unread = attempt([&] {
            if (change() == StudyChange::contents)
                failStudy(kChanged, "Another program changed the study file.", path);
            db.run("VACUUM INTO ?1", made.path);
        });
        if (!unread.empty()) {
            if (ftruncate(made.lock->file().descriptor(), 0) != 0)
                failFile("The file cannot be written.", made.path);
            removeFile(made.path + "-journal");
            writeMirror(made.path);
            warnings.push_back({Severity::warning, unread.front().path,
                                "The copy holds the scenarios as they are shown; their history and results could not be "
                                "read from the study file.",
                                unread.front().message});
        }
        if (!unsaved.empty())
            applyUnsaved(made, options, unsaved);
    });
}

Diagnostics Study::saveCopy(const std::string& path) const
{
    const std::lock_guard guard(m_impl->mutex);
    Diagnostics warnings;
    const Diagnostics problem = attempt([&] { (void)m_impl->writeCopy(path, warnings); });
    return problem.empty() ? warnings : problem;
}

Result<Study> Study::saveAs(const std::string& path) const
{
    const std::lock_guard guard(m_impl->mutex);
    return attemptFor<Study>([&] {
        Diagnostics warnings;
        StudyOptions own = m_impl->options;
        own.access = StudyAccess::readWrite;
        std::shared_ptr<FileLock> made = m_impl->writeCopy(path, warnings);
        auto impl = Impl::openFile(path, own, std::move(made));
        impl->notes.insert(impl->notes.end(), warnings.begin(), warnings.end());
        return Study(std::move(impl));
    });
}

} // namespace prism
