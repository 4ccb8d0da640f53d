// SPDX-License-Identifier: GPL-3.0-or-later
// A search as an array of jobs on a Slurm of one node that the test starts itself: one task is killed and requeued, the merged search is
// that of one run, byte for byte.
#include "run_cli.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

namespace prism::test {
namespace {

namespace fs = std::filesystem;

/// Exit code of a shell line; its output goes to the log.
int shell(const std::string& line, const fs::path& log)
{
    const int status = std::system(("{ " + line + "; } >>" + log.string() + " 2>&1").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

std::string printed(const std::string& line, const fs::path& folder)
{
    const fs::path out = folder / "said";
    if (std::system(("{ " + line + "; } >" + out.string() + " 2>/dev/null").c_str()) != 0)
        return {};
    std::string text = slurp(out);
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

bool waits(int seconds, const std::function<bool()>& done)
{
    for (int i = 0; i < 10 * seconds; ++i) {
        if (done())
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return done();
}

/// munged, slurmctld and slurmd in a separate folder, ended by their own process ids.
class OneNodeSlurm final {
public:
    OneNodeSlurm() : m_folder(scratch() / "slurm"), m_log(m_folder / "test.log")
    {
        fs::create_directories(m_folder);
        for (const char* name : {"state", "spool", "log", "munge"})
            fs::create_directories(m_folder / name);
        writeConfiguration();
        const std::string d = m_folder.string(), m = d + "/munge";
        shell("chmod 755 " + d + " && head -c 128 /dev/urandom >" + m + "/key && chown -R munge: " + m + " && chmod 700 " + m
                  + "/key && chmod 755 " + m,
              m_log);
        const std::string munged = "setpriv --reuid=munge --regid=munge --clear-groups munged --socket=" + m + "/s --pid-file=" + m
                                   + "/pid --log-file=" + m + "/log --seed-file=" + m + "/seed --key-file=" + m + "/key";
        m_up = shell(munged, m_log) == 0 && shell("slurmctld && slurmd", m_log) == 0
               && waits(20, [&] { return printed("sinfo -h -o %T", m_folder) == "idle"; });
    }
    ~OneNodeSlurm()
    {
        if (m_up && shell("scancel --full --user=root", m_log) == 0)
            waits(20, [&] { return printed("squeue -h -o %i; echo end", m_folder) == "end"; });
        for (const char* pid : {"slurmd.pid", "slurmctld.pid", "munge/pid"})
            shell("kill $(cat " + (m_folder / pid).string() + ")", m_log);
    }
    OneNodeSlurm(const OneNodeSlurm&) = delete;
    OneNodeSlurm& operator=(const OneNodeSlurm&) = delete;
    [[nodiscard]] bool up() const { return m_up; }
    [[nodiscard]] const fs::path& folder() const { return m_folder; }
    [[nodiscard]] std::string log() const { return slurp(m_log); }

private:
    void writeConfiguration()
    {
        const std::string d = m_folder.string(), host = printed("hostname -s", m_folder);
        const int port = 20'000 + static_cast<int>(::getpid() % 20'000);
        std::ofstream(m_folder / "slurm.conf")
            << "ClusterName=test\nSlurmctldHost=" << host << "\nSlurmUser=root\nSlurmdUser=root\nAuthType=auth/munge\nAuthInfo=socket=" << d
            << "/munge/s\nStateSaveLocation=" << d << "/state\nSlurmdSpoolDir=" << d << "/spool\nSlurmctldPidFile=" << d
            << "/slurmctld.pid\nSlurmdPidFile=" << d << "/slurmd.pid\nSlurmctldLogFile=" << d << "/log/ctld\nSlurmdLogFile=" << d
            << "/log/slurmd\nSlurmctldPort=" << port << "\nSlurmdPort=" << port + 1
            << "\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/none\nJobCompType=jobcomp/"
               "none\n"
               "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nSchedulerParameters=bf_interval=1,sched_min_interval=200000\n"
               "ReturnToService=2\nNodeName="
            << host << " CPUs=" << std::max(1U, std::thread::hardware_concurrency())
            << " RealMemory=1000 State=UNKNOWN\nPartitionName=p Nodes=ALL Default=YES State=UP\n";
        ::setenv("SLURM_CONF", (m_folder / "slurm.conf").c_str(), 1);
    }

    fs::path m_folder, m_log;
    bool m_up = false;
};

TEST(Slurm, AKilledAndRequeuedShardGivesTheBytesOfOneRun)
{
    for (const char* program : {"slurmctld", "slurmd", "munged", "sbatch", "setpriv"})
        if (printed(std::string("command -v ") + program, scratch()).empty())
            GTEST_SKIP() << program << " is not installed (Debian: slurm-wlm, munge)";
    if (::getuid() != 0)
        GTEST_SKIP() << "a separate Slurm needs root";
    const OneNodeSlurm slurm;
    ASSERT_TRUE(slurm.up()) << slurm.log();
    const fs::path folder = slurm.folder();
    const std::string search =
        "explore llama3-70b-256-h100 --axis tp=1..8 --axis pp=1..16 --axis vpp=1,2,4 --axis schedule=1f1b,interleaved,zb-v "
        "--axis mbs=1..4 --axis zero=1,2 --axis recompute=none,selective,full --keep 3 --most 20 ";
    ASSERT_EQ(runCli(search + "--slurm " + (folder / "search.sh").string() + " --shards 4").exitCode, 0);
    const std::string job = printed("cd " + folder.string() + " && sbatch --parsable search.sh", folder);
    ASSERT_FALSE(job.empty());
    // The second task is stopped in the middle of its work and started again at once.
    EXPECT_TRUE(waits(120, [&] { return printed("squeue -h -t R -j " + job + "_2 -o %i", folder) == job + "_2"; })) << slurm.log();
    EXPECT_FALSE(printed("scontrol requeue " + job + "_2 && echo done", folder).empty());
    shell("scontrol update jobid=" + job + "_2 StartTime=now", folder / "test.log");
    ASSERT_TRUE(waits(300, [&] { return printed("squeue -h -j " + job + " -o %i; echo end", folder) == "end"; })) << slurm.log();
    std::string files;
    for (int shard = 1; shard <= 4; ++shard)
        files += " " + (folder / "search.sh").string() + "-" + std::to_string(shard) + ".jsonl";
    const CliRun merged = runCli("explore merge" + files + " --records " + (folder / "merged.jsonl").string());
    ASSERT_EQ(merged.exitCode, 0) << merged.err;
    ASSERT_EQ(runCli(search + "--records " + (folder / "whole.jsonl").string()).exitCode, 0);
    EXPECT_EQ(slurp(folder / "merged.jsonl"), slurp(folder / "whole.jsonl"));
}

} // namespace
} // namespace prism::test
