// SPDX-License-Identifier: GPL-3.0-or-later
// Known answers of a salvage: which rows of a table lie outside of its damaged pages, and what its child process may use and reports.
#include "core/base/jsontext.h"
#include "core/study/database.h"
#include "core/study/impl.h"
#include "core/study/salvagerows.h"
#include "core/study/siblings.h"
#include "core/study/support.h"
#include "core/study/support_sample.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <numeric>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace prism::study_test {
namespace {

using Id = std::int64_t;
constexpr std::size_t kPageBytes = 4096;

std::uint64_t bigEndian(const std::string& bytes, std::size_t at, int count)
{
    std::uint64_t value = 0;
    for (int i = 0; i < count; ++i)
        value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
    return value;
}

/// SQLite's integers of variable length: seven bits of each byte, eight of the ninth (https://www.sqlite.org/fileformat2.html).
std::uint64_t variable(const std::string& bytes, std::size_t& at)
{
    std::uint64_t value = 0;
    for (int i = 0; i < 9; ++i) {
        const auto byte = static_cast<unsigned char>(bytes[at++]);
        value = i == 8 ? value << 8 | byte : value << 7 | (byte & 0x7fU);
        if (byte < 0x80)
            break;
    }
    return value;
}

/// A leaf of a table: where its page begins, and its rows.
struct Leaf {
    std::size_t at = 0;
    std::vector<Id> ids;
};

/// The leaves that hold `text`, by their rows ascending.
std::vector<Leaf> leavesOf(const std::string& bytes, const std::string& text)
{
    std::vector<Leaf> leaves;
    for (std::size_t at = kPageBytes; at < bytes.size(); at += kPageBytes) {
        if (bytes[at] != 0x0d || bytes.substr(at, kPageBytes).find(text) == std::string::npos)
            continue;
        Leaf leaf{at, {}};
        for (std::uint64_t i = 0; i < bigEndian(bytes, at + 3, 2); ++i) {
            std::size_t cell = at + bigEndian(bytes, at + 8 + 2 * i, 2);
            (void)variable(bytes, cell); // the bytes of the row
            leaf.ids.push_back(static_cast<Id>(variable(bytes, cell)));
        }
        leaves.push_back(leaf);
    }
    std::sort(leaves.begin(), leaves.end(), [](const Leaf& a, const Leaf& b) { return a.ids.front() < b.ids.front(); });
    return leaves;
}

struct Rows {
    bool whole = false;
    std::vector<Id> ids; ///< ascending
};

/// Makes a table of these rows, overwrites some of its leaves, reads what is left, and compares it with the rows of the other leaves.
Rows readDamaged(const std::vector<Id>& ids, const std::function<bool(std::size_t leaf, std::size_t leaves)>& isDamaged)
{
    const Folder folder;
    const std::string path = folder / "rows";
    {
        Database db(path, Database::Mode::create, {});
        db.script("CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT)");
        Transaction transaction(db);
        Statement insert(db.handle(), "INSERT INTO rows VALUES (?1, 'a row of text')");
        for (const Id id : ids) {
            insert.reset();
            insert.bind(1, id).run();
        }
        transaction.commit();
    }
    std::string bytes = readAll(path);
    const std::vector<Leaf> leaves = leavesOf(bytes, "a row of text");
    Rows expected, found;
    for (std::size_t i = 0; i < leaves.size(); ++i)
        if (isDamaged(i, leaves.size()))
            std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(leaves[i].at), kPageBytes, '\xa5');
        else
            expected.ids.insert(expected.ids.end(), leaves[i].ids.begin(), leaves[i].ids.end());
    writeAll(path, bytes);
    Database db(path, Database::Mode::salvage, {});
    const Deadline never(db, -1);
    found.whole = readRows(db, "rows", "text", never, [&](const Statement& row) {
        EXPECT_EQ(row.text(1), "a row of text");
        found.ids.push_back(row.integer(0));
    });
    std::sort(found.ids.begin(), found.ids.end());
    EXPECT_EQ(found.ids.size(), expected.ids.size());
    EXPECT_TRUE(found.ids == expected.ids) << "each row of a sound page is read once";
    return found;
}

std::vector<Id> range(Id first, std::size_t count)
{
    std::vector<Id> ids(count);
    std::iota(ids.begin(), ids.end(), first);
    return ids;
}

TEST(SalvageRows, AWholeTableIsReadFromTheSmallestToTheLargestId)
{
    std::vector<Id> ids = range(-300, 600);
    constexpr Id kSmallest = std::numeric_limits<Id>::min() + 1, kLargest = std::numeric_limits<Id>::max() - 1;
    ids.insert(ids.end(), {kSmallest, kLargest});
    EXPECT_TRUE(readDamaged(ids, [](std::size_t, std::size_t) { return false; }).whole);
}

TEST(SalvageRows, EveryRowOutsideOfOneDamagedPageIsRead)
{
    const std::vector<Id> ids = range(1, 2000);
    for (std::size_t damaged = 0; damaged < 10; ++damaged)
        EXPECT_FALSE(readDamaged(ids, [&](std::size_t leaf, std::size_t) { return leaf == damaged; }).whole) << damaged;
    EXPECT_FALSE(readDamaged(ids, [&](std::size_t leaf, std::size_t leaves) { return leaf == leaves - 1; }).whole);
}

TEST(SalvageRows, EveryRowBetweenDamagedPagesIsRead)
{
    for (const Id first : {1, 5000})
        for (const std::size_t step : {2U, 3U, 5U})
            (void)readDamaged(range(first, 4000), [&](std::size_t leaf, std::size_t) { return leaf % step == step - 1; });
}

/// The end is damaged too, so that what lies behind the first damage has to be searched: within 4,096 ids, and by leaps behind.
TEST(SalvageRows, RowsFarBehindDamageAreFoundWhereTheEndIsDamagedToo)
{
    const auto ends = [](std::size_t leaf, std::size_t leaves) { return leaf == 1 || leaf == leaves - 1; };
    (void)readDamaged(range(1, 1000), ends);
    (void)readDamaged(range(1, 12'000), ends);
    for (const Id gap : {Id{4000}, Id{4097}, Id{1} << 39}) {
        SCOPED_TRACE(gap);
        std::vector<Id> ids = range(1, 1000);
        const std::vector<Id> more = range(1000 + gap, 1000);
        ids.insert(ids.end(), more.begin(), more.end());
        (void)readDamaged(ids, ends);
        (void)readDamaged(ids,
                          [](std::size_t leaf, std::size_t leaves) { return leaf == 1 || leaf == leaves / 2 + 2 || leaf >= leaves - 2; });
    }
}

/// The largest ids leave no room for a leap.
TEST(SalvageRows, DamageBeforeTheLargestIdEnds)
{
    std::vector<Id> ids = range(1, 500);
    const std::vector<Id> more = range(std::numeric_limits<Id>::max() - 2000, 1999);
    ids.insert(ids.end(), more.begin(), more.end());
    (void)readDamaged(ids, [](std::size_t leaf, std::size_t leaves) { return leaf == leaves - 3 || leaf == leaves - 1; });
}

/// A row that is found counts once against the size of the file: the tables behind the damaged one keep their rows.
TEST(SalvageAnswers, DamageOfALongTableTakesNoRowsOfOthers)
{
    const Folder folder;
    const std::string path = folder / "a.prism";
    {
        Result<Study> study = Study::create(path, options());
        const ScenarioId id = study->addScenario("base", "{}").value();
        ASSERT_TRUE(study->addAttachment({.scenario = id, .kind = "pool", .name = "times", .source = "times.csv"}, "content").ok());
        ASSERT_TRUE(study->putResult({1}, "summary", {"1.0", 1, 100}, std::string(20'000, 'r')).empty());
        Database db(path, Database::Mode::readWrite, {});
        db.script("WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 12000) INSERT INTO revision "
                  "SELECT i, 1, 0, 'leaf', '{\"fill\":\"' || hex(zeroblob(200)) || '\"}' FROM n; UPDATE scenario SET current = 12000");
    }
    std::string bytes = readAll(path);
    const std::vector<Leaf> leaves = leavesOf(bytes, "leaf{\"fill");
    ASSERT_GT(leaves.size(), 1000U);
    std::size_t lost = 0;
    for (const Leaf* leaf : {&leaves[1], &leaves.back()}) {
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(leaf->at), kPageBytes, '\xa5');
        lost += leaf->ids.size();
    }
    writeAll(path, bytes);
    const auto report = salvageStudy(path, folder / "b.prism", options());
    ASSERT_TRUE(report.ok()) << text(report.errors());
    EXPECT_EQ(report->revisions, 12'000 - static_cast<int>(lost));
    EXPECT_EQ(report->attachments, 1);
    EXPECT_EQ(report->results, 1);
    EXPECT_EQ(text(report->losses).find("larger than the file"), std::string::npos) << text(report->losses);
}

/// A study in which every kind is there another number of times.
void makeCountedStudy(const std::string& path)
{
    Result<Study> study = Study::create(path, options());
    std::vector<ScenarioId> ids;
    for (const char* name : {"a", "b"})
        ids.push_back(study->addScenario(name, "{}").value()); // 2 steps, 2 revisions
    ASSERT_TRUE(study->updateScenario(ids[0], {.json = R"({"x":1})", .label = "edit"}).ok());
    for (int i = 0; i < 4; ++i)
        ASSERT_TRUE(study->putResult({static_cast<std::uint64_t>(i)}, "summary", {"1.0", 1, 100}, "r").empty());
    for (int i = 0; i < 5; ++i)
        ASSERT_TRUE(study->setViewState("view" + std::to_string(i), "{}").empty());
    ASSERT_TRUE(study->setNote(ids[1], "n").empty());
    for (int i = 0; i < 6; ++i)
        ASSERT_TRUE(study->addAttachment({.scenario = ids[1], .kind = "pool", .name = std::to_string(i), .source = "s"}, "y").ok());
}

std::vector<int> counts(const SalvageReport& r)
{
    return {r.scenarios, r.revisions, r.results, r.viewStates, r.attachments, r.steps};
}

TEST(SalvageChild, ReportsWhatASalvageInTheSameProcessDoes)
{
    const Folder folder;
    const std::string path = folder / "a.prism";
    makeCountedStudy(path);
    for (const bool damaged : {false, true}) {
        if (damaged) {
            Database db(path, Database::Mode::readWrite, {});
            db.run("UPDATE scenario SET note = ?1 WHERE id = 1", std::string(kMaxScenarioNoteBytes + 1, 'n'));
        }
        const auto here = salvageStudy(path, folder / "here.prism", options());
        const auto there = salvageInChild(path, folder / "there.prism", options());
        ASSERT_TRUE(here.ok() && there.ok()) << text(there.ok() ? here.errors() : there.errors());
        EXPECT_EQ(counts(*there), counts(*here));
        EXPECT_EQ(text(there->losses), text(here->losses));
        EXPECT_EQ(there->losses.empty(), !damaged);
        for (const Diagnostic& d : there->losses)
            EXPECT_EQ(d.severity, Severity::warning);
        const std::vector<int> all = counts(*there);
        EXPECT_EQ(std::vector<int>(all.begin(), all.begin() + 5), (std::vector<int>{2, 3, 4, 5, 6}));
        EXPECT_EQ(Study::open(folder / "there.prism", options())->dump().value(),
                  Study::open(folder / "here.prism", options())->dump().value());
        std::filesystem::remove(folder / "here.prism");
        std::filesystem::remove(folder / "there.prism");
    }
}

TEST(SalvageChild, AnErrorIsReportedAsTheSalvageReportsIt)
{
    const Folder folder;
    writeAll(folder / "a.prism", std::string(50'000, 'x'));
    const auto here = salvageStudy(folder / "a.prism", folder / "b.prism"), there = salvageInChild(folder / "a.prism", folder / "b.prism");
    ASSERT_FALSE(here.ok() || there.ok());
    EXPECT_EQ(text(there.errors()), text(here.errors()));
    EXPECT_EQ(there.errors().front().severity, Severity::error);
}

TEST(SalvageChild, AStoppedSalvageNamesItsLimitsAndLeavesNothing)
{
    const Folder folder;
    makeCountedStudy(folder / "a.prism");
    std::stop_source stop;
    stop.request_stop();
    const auto report = salvageInChild(folder / "a.prism", folder / "b.prism", options(), stop.get_token());
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.errors().front().path, study_problem::kTooLarge);
    EXPECT_EQ(report.errors().front().accepted, "up to 10 s, 1024 MiB and 60 s of waiting for the disk");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator()), 1);
}

/// What the helper prints, and the limits that it runs under: 1 GiB of memory, 10 s of processor time, no core file.
TEST(SalvageChild, TheHelperLimitsItself)
{
    const Folder folder;
    makeCountedStudy(folder / "a.prism");
    const pid_t child = fork();
    if (child == 0) {
        const int out = open((folder / "printed").c_str(), O_WRONLY | O_CREAT, 0600);
        dup2(out, STDOUT_FILENO);
        std::string words[] = {"prism-cli", "--salvage-study", folder / "a.prism", folder / "b.prism", "me", ""};
        char* list[6];
        for (int i = 0; i < 6; ++i)
            list[i] = words[i].data();
        const std::optional<int> code = salvageHelper(6, list);
        const auto limited = [](auto resource, rlim_t expected) {
            rlimit now{};
            getrlimit(resource, &now);
            return now.rlim_cur == expected && now.rlim_max == expected;
        };
        int invalid = code == 0 ? 0 : 1;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        invalid |= limited(RLIMIT_AS, 1'073'741'824) ? 0 : 2;
#endif
        invalid |= limited(RLIMIT_CPU, 10) ? 0 : 4;
        invalid |= limited(RLIMIT_CORE, 0) ? 0 : 8;
        _exit(invalid);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    const auto printed = parseJson(readAll(folder / "printed"));
    ASSERT_TRUE(printed);
    EXPECT_EQ(printed->at("scenarios"), 2);
    EXPECT_EQ(printed->at("attachments"), 6);
}

/// Runs `act` in a process in which these system calls fail so, as on a file system or a kernel that lacks them: what it returns.
int without(const std::vector<std::pair<long, int>>& calls, const std::function<int()>& act)
{
    const pid_t child = fork();
    if (child == 0) {
        std::vector<sock_filter> rules = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0)}; // the number of the call
        for (const auto& [number, error] : calls) {
            rules.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1));
            rules.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)));
        }
        rules.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
        const sock_fprog program{static_cast<unsigned short>(rules.size()), rules.data()};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
            _exit(100);
        _exit(act());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 101;
}

/// File systems differ in how a file gets a name without replacing another: renameat2, else a second link, else a look and a rename.
TEST(StudyFiles, ANewFileGetsItsNameOnEveryFileSystem)
{
    std::vector<std::vector<std::pair<long, int>>> systems = {{}};
    for (const int error : {EINVAL, ENOSYS, EOPNOTSUPP}) {
        systems.push_back({{SYS_renameat2, error}});
        systems.push_back({{SYS_renameat2, error}, {SYS_linkat, EPERM}});
#ifdef SYS_link
        systems.back().emplace_back(SYS_link, EPERM);
#endif
    }
    for (std::size_t i = 0; i < systems.size(); ++i) {
        SCOPED_TRACE(i);
        const Folder folder;
        const int made = without(systems[i], [&] {
            const Result<Study> study = Study::create(folder / "a.prism", options());
            return study.ok() ? 0 : 1;
        });
        if (made == 100)
            GTEST_SKIP() << "no filter of system calls here";
        EXPECT_EQ(made, 0);
        const auto files = [&] {
            return std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator());
        };
        EXPECT_EQ(files(), 1) << "its other name is gone";
        EXPECT_TRUE(Study::open(folder / "a.prism", options()).ok());
        const std::string before = readAll(folder / "a.prism");
        // A file that appears while the new one is written is kept.
        const int appeared = without(systems[i], [&] {
            const Diagnostics problem = attempt([&] {
                (void)makeFile(folder / "b.prism", {{"test", "host", 1, 0}, false, nullptr},
                               [&](const NewStudy&) { writeAll(folder / "b.prism", "precious"); });
            });
            return problem.size() == 1 && problem.front().path == study_problem::kExists ? 0 : 1;
        });
        EXPECT_EQ(appeared, 0);
        EXPECT_EQ(readAll(folder / "b.prism"), "precious");
        EXPECT_EQ(readAll(folder / "a.prism"), before);
        EXPECT_EQ(files(), 2);
    }
}

} // namespace
} // namespace prism::study_test
