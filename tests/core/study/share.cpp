// SPDX-License-Identifier: GPL-3.0-or-later
// Two programs on one file, media that cannot be written, files that vanish or change.
#include "core/study/study.h"

#include "core/study/database.h"
#include "core/study/impl.h"
#include "core/study/support.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <thread>
#include <tuple>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace prism {
namespace {

using namespace study_test;
namespace fs = std::filesystem;

TEST(StudyShare, TheSecondOpenerReadsAndNamesTheHolder)
{
    const Folder folder;
    StudyOptions first = options();
    first.program = "first program";
    Result<Study> writer = Study::create(folder / "a.prism", first);
    const ScenarioId id = writer->addScenario("a", "{}").value();
    Result<Study> reader = Study::open(folder / "a.prism", options());
    ASSERT_TRUE(reader.ok()) << text(reader.errors());
    EXPECT_TRUE(reader->readOnly());
    ASSERT_TRUE(reader->holder().has_value());
    EXPECT_EQ(reader->holder()->program, "first program");
    EXPECT_EQ(reader->holder()->pid, getpid());
    EXPECT_NE(reader->readOnlyReason().find("first program on "), std::string::npos);
    EXPECT_EQ(reader->updateScenario(id, {.json = "2"}).errors().front().path, study_problem::kReadOnly);
    // Edits continue while the reader is open; it can follow them and save its own edit elsewhere.
    ASSERT_TRUE(writer->updateScenario(id, {.json = "1"}).ok());
    EXPECT_EQ(reader->changedUnderneath(), StudyChange::contents);
    EXPECT_EQ(reader->scenario(id)->json, "{}");
    ASSERT_TRUE(reader->reload().empty());
    EXPECT_EQ(reader->scenario(id)->json, "1");
    EXPECT_EQ(reader->changedUnderneath(), StudyChange::none);
    EXPECT_FALSE(hasErrors(reader->saveCopy(folder / "b.prism")));
    EXPECT_EQ(Study::open(folder / "b.prism", options())->scenario(id)->json, "2");
    // A copy cannot replace the file itself, nor a study that is open elsewhere.
    EXPECT_EQ(reader->saveCopy(folder / "a.prism").front().path, study_problem::kExists);
    Result<Study> third = Study::open(folder / "b.prism", options());
    EXPECT_EQ(writer->saveCopy(folder / "b.prism").front().path, study_problem::kInUse);
}

/// A process knows to the millisecond when it locked a file; of another one the place of its lock shows the second.
TEST(StudyShare, TheHolderIsNamedWithItsProcessAndTime)
{
    const Folder folder;
    const std::string path = folder / "a.prism";
    StudyOptions fixed = options();
    fixed.nowMs = [] { return std::int64_t{1'767'225'612'345}; }; // 2026-01-01 00:00:12.345
    std::string host(300, '\0');
    ASSERT_EQ(gethostname(host.data(), host.size()), 0);
    host.resize(host.find('\0'));
    {
        const Result<Study> writer = Study::create(path, fixed);
        const StudyHolder own = Study::open(path, options())->holder().value();
        EXPECT_EQ(std::tuple(own.program, own.host, own.pid, own.sinceMs),
                  std::tuple("test", host, std::int64_t{getpid()}, std::int64_t{1'767'225'612'345}));
    }
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        const Result<Study> study = Study::open(path, fixed);
        (void)!write(ends[1], "y", 1);
        pause();
        _exit(0);
    }
    char ready = 0;
    ASSERT_EQ(read(ends[0], &ready, 1), 1);
    const std::optional<StudyHolder> other = Study::open(path, options())->holder();
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    ASSERT_TRUE(other.has_value());
    EXPECT_EQ(std::tuple(other->program, other->host, other->pid, other->sinceMs),
              std::tuple("test_study", host, std::int64_t{child}, std::int64_t{1'767'225'612'000}));
}

TEST(StudyShare, WaitingEndsWhenTheFirstProgramDies)
{
    const Folder folder;
    const std::string path = folder / "a.prism";
    ASSERT_TRUE(Study::create(path, options())->addScenario("a", "{}").ok());
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        Result<Study> study = Study::open(path, options());
        const char ready = study.ok() && !study->readOnly() ? 'y' : 'n';
        (void)!write(ends[1], &ready, 1);
        pause();
        _exit(0);
    }
    char ready = 0;
    ASSERT_EQ(read(ends[0], &ready, 1), 1);
    EXPECT_EQ(ready, 'y');
    EXPECT_TRUE(Study::open(path, options())->readOnly());
    std::thread killer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        kill(child, SIGKILL);
    });
    StudyOptions patient = options();
    patient.waitSeconds = 60;
    Result<Study> study = Study::open(path, patient);
    killer.join();
    waitpid(child, nullptr, 0);
    ASSERT_TRUE(study.ok());
    EXPECT_FALSE(study->readOnly()) << study->readOnlyReason();
    EXPECT_FALSE(study->holder().has_value());
}

/// What a second program sees that opens `path` for writing while this one has the study open.
std::string reasonElsewhere(const std::string& path)
{
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        // A new program: it shares no memory with this process.
        dup2(ends[1], STDOUT_FILENO);
        setenv("PRISM_TEST_OPEN", path.c_str(), 1);
        execl("/proc/self/exe", "test_study", "--gtest_filter=StudyShare.DISABLED_PrintsWhyItCannotWrite",
              "--gtest_also_run_disabled_tests", "--gtest_brief=1", nullptr);
        _exit(9);
    }
    close(ends[1]);
    std::string seen;
    char part[512];
    for (ssize_t got = 0; (got = read(ends[0], part, sizeof part)) > 0;)
        seen.append(part, static_cast<std::size_t>(got));
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return seen;
}

TEST(StudyShare, DISABLED_PrintsWhyItCannotWrite)
{
    const Result<Study> study = Study::open(getenv("PRISM_TEST_OPEN"), options());
    printf("reason: %s\n", study.ok() ? study->readOnlyReason().c_str() : text(study.errors()).c_str());
}

TEST(StudyShare, EveryNameOfTheFileFindsItLockedAndLeavesNoLockFile)
{
    const Folder folder, elsewhere;
    const std::string path = folder / "a.prism";
    Result<Study> writer = Study::create(path, options());
    const ScenarioId id = writer->addScenario("a", "{}").value();
    fs::create_symlink(path, elsewhere / "symbolic.prism");
    fs::create_hard_link(path, folder / "hard.prism");
    for (const std::string& name : {path, elsewhere / "symbolic.prism", folder / "hard.prism", folder / "../" + path.substr(9)}) {
        SCOPED_TRACE(name);
        EXPECT_TRUE(Study::open(name, options())->readOnly());
        const std::string reason = reasonElsewhere(name);
        EXPECT_NE(reason.find("(process " + std::to_string(getpid()) + ") since 2026-01-01"), std::string::npos) << reason;
        EXPECT_NE(reason.find("test_study on "), std::string::npos) << reason;
        EXPECT_TRUE(writer->updateScenario(id, {.json = "1"}).ok()) << "the first writer continues";
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 2);
    // The lock follows the file, not its name.
    fs::rename(folder / "hard.prism", folder / "moved.prism");
    EXPECT_NE(reasonElsewhere(folder / "moved.prism").find("open for editing"), std::string::npos);
    writer = Study::memory();
    EXPECT_EQ(reasonElsewhere(path).find("open for editing"), std::string::npos);
}

TEST(StudyShare, ASecondOpenerDoesNotDropTheLocksOfTheFirst)
{
    const Folder folder;
    const std::string path = folder / "a.prism";
    Result<Study> writer = Study::create(path, options());
    Database first(path, Database::Mode::readWrite, {});
    first.script("BEGIN IMMEDIATE");
    {
        // Looks into the header, tries the lock, reads, and closes: POSIX would drop this process's locks on the file.
        EXPECT_TRUE(Study::open(path, options())->readOnly());
    }
    EXPECT_NE(reasonElsewhere(path).find("open for editing"), std::string::npos);
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        struct flock lock {};
        lock.l_type = F_WRLCK;
        lock.l_start = 0x40000000;
        lock.l_len = 512;
        _exit(fcntl(open(path.c_str(), O_RDWR), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 0 : 1);
    }
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << "SQLite's own lock is still held";
}

TEST(StudyShare, ASavedStudyReplacesATargetUnderItsLockOrLeavesItAlone)
{
    const Folder folder, elsewhere;
    Result<Study> study = Study::memory(options());
    ASSERT_TRUE(study->addScenario("mine", "{\"fill\":\"" + std::string(100'000, 'x') + "\"}").ok());
    const std::string target = folder / "target.prism";
    const auto makeTarget = [&] {
        fs::remove(target);
        ASSERT_TRUE(Study::create(target, options())->addScenario("theirs", "{}").ok());
    };
    makeTarget();
    const auto unchanged = [&] {
        EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1) << "nothing is left behind";
        const Result<Study> theirs = Study::open(target, {.access = StudyAccess::readOnly});
        return theirs.ok() && theirs->scenario("theirs").ok();
    };
    {
        const Result<Study> other = Study::open(target, options());
        EXPECT_EQ(study->saveAs(target).errors().front().path, study_problem::kInUse);
        EXPECT_TRUE(unchanged());
    }
    {
        const SmallFiles full(50'000);
        EXPECT_FALSE(study->saveAs(target).ok());
        EXPECT_TRUE(unchanged());
    }
    fs::permissions(target, fs::perms::owner_read);
    EXPECT_EQ(study->saveAs(target).errors().front().path, study_problem::kReadOnly);
    fs::permissions(target, fs::perms::owner_all);
    EXPECT_TRUE(unchanged());
    // Through a link the file itself is replaced, and the new one is open without a moment in which another could take it.
    fs::create_symlink(target, elsewhere / "link.prism");
    Result<Study> saved = study->saveAs(elsewhere / "link.prism");
    ASSERT_TRUE(saved.ok()) << text(saved.errors());
    EXPECT_TRUE(fs::is_symlink(elsewhere / "link.prism"));
    EXPECT_TRUE(Study::open(target, options())->readOnly());
    EXPECT_TRUE(saved->setNote(saved->scenario("mine")->id, "goes on").empty());
    EXPECT_EQ(Study::open(target, {.access = StudyAccess::readOnly})->scenario("mine")->note, "goes on");
    EXPECT_EQ(fs::status(target).permissions(), fs::perms::owner_all);
    EXPECT_TRUE(study->saveAs(folder / "new.prism").ok());
    EXPECT_TRUE(Study::open(folder / "new.prism", options())->scenario("mine").ok());
}

TEST(StudyShare, WhatAKilledCreationLeavesGoesWithTheNextStart)
{
    const Folder folder;
    const std::string path = folder / "a.prism";
    ASSERT_TRUE(Study::create(path, options()).ok());
    const auto names = [&] {
        std::set<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder.path()))
            names.insert(entry.path().filename());
        return names;
    };
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        (void)makeFile(folder / "b.prism", {}, [&](const NewStudy& made) {
            std::ofstream(made.path + "-journal") << "half";
            (void)!write(ends[1], "y", 1);
            pause();
        });
        _exit(1);
    }
    char ready = 0;
    ASSERT_EQ(read(ends[0], &ready, 1), 1);
    // Strangers of a like name: a text, and a link to a study.
    std::ofstream(folder / ".c-prism-new") << "precious";
    fs::create_symlink(path, folder / ".d-prism-new");
    EXPECT_TRUE(Study::open(path, options()).ok());
    EXPECT_EQ(names().size(), 5U) << "its creator lives";
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_TRUE(Study::open(path, {.access = StudyAccess::readOnly}).ok());
    EXPECT_EQ(names().size(), 5U) << "looking changes nothing";
    EXPECT_TRUE(Study::open(path, options()).ok());
    EXPECT_EQ(names(), (std::set<std::string>{"a.prism", ".c-prism-new", ".d-prism-new"}));
}

TEST(StudyShare, AFileThatVanishesCanBeSavedElsewhereAndBack)
{
    const Folder folder;
    const std::string path = folder / "a.prism";
    Result<Study> study = Study::create(path, options());
    const ScenarioId id = study->addScenario("a", "{}").value();
    fs::remove(path);
    EXPECT_EQ(study->changedUnderneath(), StudyChange::removed);
    EXPECT_EQ(study->updateScenario(id, {.json = "1"}).errors().front().path, study_problem::kNotFound);
    EXPECT_FALSE(study->reload().empty());
    EXPECT_EQ(study->scenarios().size(), 1U);
    EXPECT_FALSE(hasErrors(study->saveCopy(path))) << text(study->saveCopy(path));
    study = Study::open(path, options());
    ASSERT_TRUE(study.ok());
    EXPECT_EQ(study->scenario(id)->json, "1");
    EXPECT_EQ(study->revisions(id)->size(), 2U); // the history came along
}

TEST(StudyShare, AFileThatIsReplacedIsNotWritten)
{
    const Folder folder;
    const std::string path = folder / "a.prism";
    {
        ASSERT_TRUE(Study::create(folder / "other.prism", options())->addScenario("other", "{}").ok());
    }
    Result<Study> study = Study::create(path, options());
    const ScenarioId id = study->addScenario("a", "{}").value();
    fs::rename(folder / "other.prism", path);
    EXPECT_EQ(study->changedUnderneath(), StudyChange::replaced);
    EXPECT_EQ(study->updateScenario(id, {.json = "1"}).errors().front().path, study_problem::kChanged);
    EXPECT_FALSE(hasErrors(study->saveCopy(folder / "mine.prism")));
    EXPECT_EQ(Study::open(folder / "mine.prism", options())->scenario("a")->json, "1");
    EXPECT_TRUE(Study::open(path, {.access = StudyAccess::readOnly})->scenario("other").ok());
}

TEST(StudyShare, AFileThatIsOverwrittenInPlaceKeepsWhatIsShown)
{
    const Folder folder;
    const std::string path = folder / "a.prism";
    {
        ASSERT_TRUE(Study::create(folder / "other.prism", options())->addScenario("other", "{}").ok());
    }
    Result<Study> study = Study::create(path, options());
    const ScenarioId id = study->addScenario("a", "{}").value();
    ASSERT_TRUE(study->updateScenario(id, {.json = "1"}).ok());
    std::ifstream in(folder / "other.prism", std::ios::binary);
    std::fstream(path, std::ios::binary | std::ios::in | std::ios::out) << in.rdbuf();
    EXPECT_EQ(study->changedUnderneath(), StudyChange::contents);
    EXPECT_EQ(study->updateScenario(id, {.json = "2"}).errors().front().path, study_problem::kChanged);
    const Diagnostics warnings = study->saveCopy(folder / "mine.prism");
    EXPECT_FALSE(hasErrors(warnings));
    EXPECT_EQ(warnings.size(), 1U);
    EXPECT_EQ(Study::open(folder / "mine.prism", options())->scenario("a")->json, "2");
}

TEST(StudyShare, AnotherProgramsWriteIsNoticedBeforeTheNextEdit)
{
    const Folder folder;
    Result<Study> study = Study::create(folder / "a.prism", options());
    const ScenarioId id = study->addScenario("a", "{}").value();
    {
        Database other(folder / "a.prism", Database::Mode::readWrite, {});
        other.run("UPDATE scenario SET note = 'from outside'");
    }
    EXPECT_EQ(study->changedUnderneath(), StudyChange::contents);
    EXPECT_EQ(study->setColour(id, "#000000").front().path, study_problem::kChanged);
    ASSERT_TRUE(study->reload().empty());
    EXPECT_EQ(study->scenario(id)->note, "from outside");
    EXPECT_TRUE(study->setColour(id, "#000000").empty());
}

/// Runs `f` in a process without the rights of root, which no file mode stops.
int asOtherUser(const std::function<int()>& f)
{
    const pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(99);
        _exit(f());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}

TEST(StudyShare, MediaThatCannotBeWrittenOpenReadOnlyAndReportWhy)
{
    const Folder folder;
    const std::string path = folder / "a.prism";
    ASSERT_TRUE(Study::create(path, options())->addScenario("a", "{}").ok());
    const Folder elsewhere;
    chmod(elsewhere.path().c_str(), 0777);
    const auto tryIt = [&] {
        Result<Study> study = Study::open(path, options());
        if (!study.ok())
            return 1;
        if (!study->readOnly() || study->readOnlyReason().empty())
            return 2;
        const ScenarioId id = study->scenarios().front().id;
        if (study->updateScenario(id, {.json = "1"}).errors().front().path != study_problem::kReadOnly)
            return 3;
        if (hasErrors(study->saveCopy(elsewhere / "b.prism")))
            return 4;
        Result<Study> copy = Study::open(elsewhere / "b.prism", options());
        return copy.ok() && !copy->readOnly() && copy->scenario(id)->json == "1" ? 0 : 5;
    };
    chmod(folder.path().c_str(), 0777);
    chmod(path.c_str(), 0444);
    EXPECT_EQ(asOtherUser(tryIt), 0) << "a write-protected file";
    fs::remove(elsewhere / "b.prism");
    chmod(path.c_str(), 0666);
    chmod(folder.path().c_str(), 0555);
    EXPECT_EQ(asOtherUser(tryIt), 0) << "a write-protected folder";
    chmod(folder.path().c_str(), 0755);
}

/// A study as a killed writer leaves it: with a change half written and the journal that undoes it.
void makeHalfWritten(const Folder& folder, const std::string& name)
{
    const Folder source;
    ASSERT_TRUE(Study::create(source / "a.prism", options())->addScenario("a", "{}").ok());
    Database writer(source / "a.prism", Database::Mode::readWrite, {});
    writer.script("PRAGMA cache_size = 2; BEGIN IMMEDIATE; UPDATE scenario SET name = 'half'; "
                  "INSERT INTO view_state VALUES ('big', hex(zeroblob(400000)))");
    for (const char* suffix : {"", "-journal"})
        fs::copy_file(source / "a.prism" + suffix, folder / name + suffix);
}

TEST(StudyShare, AKilledWritersHalfChangeIsUndoneForReadersToo)
{
    const Folder folder;
    makeHalfWritten(folder, "a.prism");
    StudyOptions reading = options();
    reading.access = StudyAccess::readOnly;
    const Result<Study> study = Study::open(folder / "a.prism", reading);
    ASSERT_TRUE(study.ok()) << text(study.errors());
    EXPECT_TRUE(study->scenario("a").ok());
    EXPECT_TRUE(study->check().empty());

    const Folder sealed;
    makeHalfWritten(sealed, "a.prism");
    chmod((sealed / "a.prism").c_str(), 0444);
    chmod((sealed / "a.prism-journal").c_str(), 0444);
    chmod(sealed.path().c_str(), 0555);
    EXPECT_EQ(asOtherUser([&] {
                  const Result<Study> sealedStudy = Study::open(sealed / "a.prism", options());
                  if (!sealedStudy.ok())
                      return 1;
                  return sealedStudy->readOnly() && sealedStudy->scenario("a").ok() && sealedStudy->notes().size() == 1 ? 0 : 2;
              }),
              0);
    chmod(sealed.path().c_str(), 0755);
    EXPECT_TRUE(fs::exists(sealed / "a.prism-journal"));
}

TEST(StudyShare, CreatingNeverTouchesWhatIsThere)
{
    const Folder folder;
    std::ofstream(folder / "a.prism") << "precious";
    EXPECT_EQ(Study::create(folder / "a.prism", options()).errors().front().path, study_problem::kExists);
    EXPECT_EQ(fs::file_size(folder / "a.prism"), 8U);
    EXPECT_EQ(Study::open(folder / "a.prism", options()).errors().front().path, study_problem::kNotAStudy);
    EXPECT_EQ(Study::open(folder.path(), options()).errors().front().path, study_problem::kNotAStudy);
    EXPECT_EQ(Study::open(folder / "b.prism", options()).errors().front().path, study_problem::kNotFound);
    EXPECT_FALSE(Study::create(folder / "no/such/a.prism", options()).ok());
    EXPECT_FALSE(fs::exists(folder / "b.prism"));
    {
        const std::ofstream empty(folder / "c.prism");
    }
    EXPECT_EQ(Study::open(folder / "c.prism", options()).errors().front().path, study_problem::kNotAStudy);
}

TEST(CallersOnThreads, TakeTurnsAtOneStudy)
{
    Result<Study> study = Study::memory();
    ASSERT_TRUE(study.ok());
    constexpr int kThreads = 3, kEdits = 20;
    std::vector<ScenarioId> ids;
    for (int t = 0; t < kThreads; ++t)
        ids.push_back(study->addScenario("s" + std::to_string(t), R"({"n":0})").value());
    {
        std::vector<std::jthread> threads;
        for (const ScenarioId id : ids)
            threads.emplace_back([&study, id] {
                for (int i = 1; i <= kEdits; ++i) {
                    EXPECT_TRUE(study->updateScenario(id, {"{\"n\":" + std::to_string(i) + "}", "edit", "", 0}).ok());
                    EXPECT_EQ(study->scenarios().size(), std::size_t{kThreads});
                }
            });
    }
    for (const ScenarioId id : ids) {
        EXPECT_EQ(study->scenario(id)->json, "{\"n\":" + std::to_string(kEdits) + "}");
        EXPECT_EQ(study->revisions(id)->size(), std::size_t{kEdits + 1});
    }
    EXPECT_EQ(study->cursor().value(), kThreads * (kEdits + 1));
}

} // namespace
} // namespace prism
