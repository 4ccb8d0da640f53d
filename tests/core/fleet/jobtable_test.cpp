// SPDX-License-Identifier: GPL-3.0-or-later
// Job tables: headers of public traces, dates, and every wrong line at once.
#include "core/fleet/jobtable.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

TEST(JobTable, ReadsTheColumnsOfPublicTraces)
{
    const Result<JobTable> helios =
        jobTable("job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
                 "7,u1,a,8,32,1,COMPLETED,2020-09-01 00:00:10,2020-09-01 00:00:20,2020-09-01 00:01:20,60,10\n"
                 "8,u2,a,0,32,1,COMPLETED,2020-09-01 00:00:00,2020-09-01 00:00:20,2020-09-01 00:01:20,60,10\n"
                 "6,u2,b,16,32,2,FAILED,2020-09-01 00:00:00,2020-09-01 00:00:05,2020-09-01 00:10:05,600,5\n",
                 "helios");
    ASSERT_TRUE(helios.ok());
    ASSERT_EQ(helios->jobs.size(), 2U);
    EXPECT_EQ(helios->withoutGpus, 1);
    EXPECT_EQ(helios->jobs[0].id, "6"); // by submission
    EXPECT_EQ(helios->jobs[0].gpus, 16);
    EXPECT_EQ(helios->jobs[1].submitSeconds, 10);
    EXPECT_EQ(helios->jobs[1].durationSeconds, 60);
    const Result<JobTable> philly = jobTable("jobid;num_gpus;submitted_time;start_time;end_time;model\n"
                                             "a;4;100;150;450;resnet\nb;1;90;None;None;bert\n",
                                             "philly");
    ASSERT_TRUE(philly.ok());
    ASSERT_EQ(philly->jobs.size(), 1U);
    EXPECT_EQ(philly->withoutDuration, 1);
    EXPECT_EQ(philly->jobs[0].durationSeconds, 300);
    EXPECT_EQ(philly->jobs[0].kind, "resnet");
    const Result<JobTable> acme =
        jobTable("job_id,type,gpu_num,submit_time,duration\n1,Pretrain,512,2023-03-01 10:05:06+08:00,1260\n", "acme");
    ASSERT_TRUE(acme.ok());
    EXPECT_EQ(acme->jobs[0].kind, "Pretrain");
}

TEST(JobTable, DatesCountDaysHoursMinutesAndSeconds)
{
    const Result<JobTable> t = jobTable("id,gpus,submit,duration\n1,1,2020-02-28 00:00:00,1\n2,1,2020-02-28T00:00:07Z,1\n"
                                        "3,1,2020-02-28 00:03:00,1\n4,1,2020-02-28 05:00:00,1\n5,1,2020-03-01 00:00:00,1\n",
                                        "t");
    ASSERT_TRUE(t.ok());
    std::vector<double> seconds;
    for (const FleetJob& j : t->jobs)
        seconds.push_back(j.submitSeconds);
    EXPECT_EQ(seconds, std::vector<double>({0, 7, 180, 18'000, 172'800})); // 2020 has 29 February
}

TEST(JobTable, ReportsEveryErrorAtOnce)
{
    const Result<JobTable> rows =
        jobTable("job_id,gpu_num,submit_time,duration\n1,two,0,10\n2,-1,0,10\n3,1.5,0,10\n4,1,soon,10\n5,1,0,-10\n"
                 "6,1,0\n7,1,0,nan(\n8,1,2020-13-01 00:00:00,10\n9,1,0,10\n",
                 "jobs.csv");
    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(rows.errors().size(), 8U);
    for (const Diagnostic& d : rows.errors())
        EXPECT_TRUE(d.path.starts_with("jobs.csv: line ")) << d.path;
    const Result<JobTable> columns = jobTable("name,colour\n1,red\n", "jobs.csv");
    ASSERT_FALSE(columns.ok());
    EXPECT_EQ(columns.errors().size(), 3U);
    const Result<JobTable> backwards = jobTable("id,gpus,submit,start_time,end_time\n1,1,0,20,10\n", "jobs.csv");
    ASSERT_FALSE(backwards.ok());
    EXPECT_NE(backwards.errors().front().message.find("ends before"), std::string::npos);
    EXPECT_FALSE(jobTable("", "empty").ok());
    std::string many = "id,gpus,submit,duration\n";
    for (int i = 0; i < 200; ++i)
        many += "1,x,0,1\n";
    EXPECT_EQ(jobTable(many, "many").errors().size(), 51U); // 50 of them, and how many more
}

} // namespace
} // namespace prism
