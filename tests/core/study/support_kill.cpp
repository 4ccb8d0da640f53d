// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/support_kill.h"

#include "core/study/study.h"
#include "core/study/support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <limits>
#include <random>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace prism::study_test {

namespace {

/// Edit i of a run. Its size varies, so that pages are taken and given back.
std::string editText(int run, int i)
{
    return "{\"run\":" + std::to_string(run) + ",\"edit\":" + std::to_string(i) + ",\"fill\":\""
           + std::string(static_cast<std::size_t>(i * 977 % 9000), 'x') + "\"}";
}

/// Edits of every kind; edit i is acknowledged by writing i to the pipe. Never returns.
[[noreturn]] void writeUntilKilled(const std::string& path, int run, int pipe)
{
    Result<Study> study = Study::open(path, options(5000));
    if (!study.ok() || study->readOnly())
        _exit(2);
    const ScenarioId id = study->scenarios().front().id;
    for (int i = 1;; ++i) {
        if (!study->updateScenario(id, {.json = editText(run, i), .mergeKey = i % 3 == 0 ? "key" : ""}).ok())
            _exit(3);
        if (i % 7 == 0 && !study->putResult({static_cast<std::uint64_t>(i)}, "summary", {"1", 1, 10}, editText(0, i)).empty())
            _exit(4);
        if (i % 11 == 0 && !study->setViewState("view", editText(run, i)).empty())
            _exit(5);
        if (write(pipe, &i, sizeof i) != sizeof i)
            _exit(6);
    }
}

/// The last edit that is acknowledged: waits until edit `until` is, or until the writer has ended.
int lastAcknowledged(int pipe, int until)
{
    int last = 0;
    int value = 0;
    while (last < until && read(pipe, &value, sizeof value) == sizeof value)
        last = value;
    return last;
}

} // namespace

void killWriters(int times, unsigned seed)
{
    const Folder folder;
    const std::string path = folder / "a.prism";
    ASSERT_TRUE(Study::create(path, options())->addScenario("base", editText(0, 0)).ok());
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> microseconds(200, 60'000);
    std::uniform_int_distribution<int> edits(1, 40);
    int runsWithEdits = 0;
    for (int run = 1; run <= times; ++run) {
        SCOPED_TRACE(run);
        int ends[2];
        ASSERT_EQ(pipe(ends), 0);
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            close(ends[0]);
            writeUntilKilled(path, run, ends[1]);
        }
        close(ends[1]);
        // One run in two ends at any time, in the opening too; the other some edits later, however slow the machine is.
        const bool atAnyTime = run % 2 == 0;
        const int pause = microseconds(random);
        const int seen = atAnyTime ? 0 : lastAcknowledged(ends[0], edits(random));
        std::this_thread::sleep_for(std::chrono::microseconds(atAnyTime ? pause : pause % 2000));
        kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
        EXPECT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself, exit code " << WEXITSTATUS(status);
        const int acknowledged = std::max(seen, lastAcknowledged(ends[0], std::numeric_limits<int>::max()));
        close(ends[0]);

        Result<Study> study = Study::open(path, options());
        ASSERT_TRUE(study.ok()) << text(study.errors());
        EXPECT_FALSE(study->readOnly()) << study->readOnlyReason();
        const Diagnostics findings = study->check();
        EXPECT_TRUE(findings.empty()) << text(findings);
        const std::string json = study->scenarios().front().json;
        // The last acknowledged edit, or the one after it whose acknowledgement was cut off.
        EXPECT_TRUE(acknowledged == 0 || json == editText(run, acknowledged) || json == editText(run, acknowledged + 1))
            << acknowledged << ": " << json.substr(0, 60);
        if (acknowledged > 0) {
            ++runsWithEdits;
            EXPECT_TRUE(study->undo().empty());
            EXPECT_TRUE(study->redo().empty());
            EXPECT_EQ(study->scenarios().front().json, json);
        }
    }
    EXPECT_GE(runsWithEdits, (times + 1) / 2);
}

} // namespace prism::study_test
