// SPDX-License-Identifier: GPL-3.0-or-later
// Each rule of clusters, job tables, queues and fleets, just broken and just kept; no rule of the sources is without a case.
#include "rulecases.h"

#include "core/fleet/clusterread.h"
#include "core/fleet/fleet.h"
#include "core/fleet/jobtable.h"

namespace prism {
namespace {

template <class T>
Diagnostics errorsOf(const Result<T>& result)
{
    return result.errors();
}

Diagnostics clusterErrors(const std::string& fields)
{
    return errorsOf(readFleetCluster("{" + fields + "}"));
}

Diagnostics queueErrors(const std::string& fields)
{
    return errorsOf(modelledQueue("{" + fields + "}", 8, 1));
}

Diagnostics tableErrors(const std::string& rows)
{
    return errorsOf(jobTable(rows, "jobs"));
}

struct FleetRule {
    Diagnostics (*read)(const std::string&);
    const char *message, *path;
    std::string broken, kept;
};

std::string repeated(int times, const std::string& text)
{
    std::string out;
    for (int i = 0; i < times; ++i)
        out += text;
    return out;
}

/// `count` classes of a cluster, each with these fields where # is its number.
std::string classes(int count, const std::string& fields)
{
    std::string out = R"("nodes": 1, "classes": {)";
    for (int i = 0; i < count; ++i) {
        std::string one = fields;
        for (std::size_t at = one.find('#'); at != std::string::npos; at = one.find('#'))
            one.replace(at, 1, std::to_string(i));
        out.append(i > 0 ? ", \"c" : "\"c").append(std::to_string(i)).append("\": ").append(one);
    }
    return out + "}";
}

const std::string kQueue = R"("duration": {"family": "lognormal", "cv": 1}, "sizes": [{"gpus": 1, "share": 1}], )",
                  kJobs = R"("jobs": 10, "offered_load": 0.5, "mean_duration_s": 60, )";
const std::string kTable = "job_id,gpu_num,submit_time,duration\n", kStarts = "id,gpus,submit,start_time,end_time\n";

// clang-format off
const std::vector<FleetRule>& fleetRules()
{
    static const std::vector<FleetRule> rules = {
        {clusterErrors, "There is no such field of a cluster", "cluster.colour", R"("nodes": 1, "colour": 1)", R"("nodes": 1, "title": "t")"},
        {clusterErrors, "Not a count", "cluster.nodes", R"("nodes": 0)", R"("nodes": 1)"},
        {clusterErrors, "Not a count", "cluster.nodes", R"("nodes": )" + std::to_string(kMaxFleetNodes + 1), R"("nodes": )" + std::to_string(kMaxFleetNodes)},
        {clusterErrors, "Not a count", "cluster.gpus_per_node", R"("nodes": 1, "gpus_per_node": )" + std::to_string(kMaxFleetGpusPerNode + 1), R"("nodes": 1, "gpus_per_node": )" + std::to_string(kMaxFleetGpusPerNode)},
        {clusterErrors, "Not a count", "cluster.gpus_per_node", R"("nodes": 1, "gpus_per_node": 1.5)", R"("nodes": 1)"},
        {clusterErrors, "Not a count", "cluster.nodes", R"("title": "t")", R"("nodes": 1, "title": "t")"},
        {clusterErrors, "Not a text", "cluster.gpu_type", R"("nodes": 1, "gpu_type": 7)", R"("nodes": 1, "gpu_type": "7")"},
        {clusterErrors, "Not a factor", "cluster.node_time", R"("nodes": 1, "node_time": {"family": "empirical", "cv": 0})", R"("nodes": 1, "node_time": {"family": "gamma", "cv": 0})"},
        {clusterErrors, "Not a factor", "cluster.classes.a", R"("nodes": 1, "classes": {"a": {"family": "gamma", "cv": "0"}})", R"("nodes": 1, "classes": {"a": {"family": "gamma", "cv": 10}})"},
        {clusterErrors, "The coefficient of variation is too large", "cluster.node_time.cv", R"("nodes": 1, "node_time": {"family": "normal", "cv": 0.91})", R"("nodes": 1, "node_time": {"family": "normal", "cv": 0.9})"},
        {clusterErrors, "There must be one factor on durations per node", "cluster.node_times", R"("nodes": 2, "node_times": [1])", R"("nodes": 2, "node_times": [1, 1])"},
        {clusterErrors, "There must be one factor on durations per node", "cluster.node_times", R"("nodes": 1, "node_times": [0.01])", R"("nodes": 1, "node_times": [0.011])"},
        {clusterErrors, "There must be one factor on durations per node", "cluster.node_times", R"("nodes": 1, "node_times": [100])", R"("nodes": 1, "node_times": [99.9])"},
        {clusterErrors, "The classes are an object by name", "cluster.classes", R"("nodes": 1, "classes": [])", R"("nodes": 1, "classes": {})"},
        {clusterErrors, "There are too many classes", "cluster.classes", classes(kMaxFleetClasses + 1, R"({"family": "gamma", "cv": 0})"), classes(kMaxFleetClasses, R"({"family": "gamma", "cv": 0})")},
        {clusterErrors, "The classes name too many scenarios", "cluster.classes", classes(kMaxFleetScenarios + 1, R"({"scenario": "no-#"})"), classes(kMaxFleetScenarios + 1, R"({"scenario": "llama2-7b-8-a100"})")},
        {tableErrors, "The table has no time of submission", "jobs: header", "id,gpus,duration\n1,1,1\n", "id,gpus,submit,duration\n1,1,1,1\n"},
        {tableErrors, "The table has no number of GPUs", "jobs: header", "id,submit,duration\n1,1,1\n", "id,gpus,submit,duration\n1,1,1,1\n"},
        {tableErrors, "The table has no duration", "jobs: header", "id,gpus,submit,start_time\n1,1,1,1\n", kStarts + "1,1,1,1,2\n"},
        {tableErrors, "The row has another number of cells", "jobs: line 2", kTable + "1,1,0\n", kTable + "1,1,0,1\n"},
        {tableErrors, "not a number from 0 on", "jobs: line 3", kTable + "1,1,0,1\n2,1048577,0,1\n", kTable + "1,1,0,1\n2,1048576,0,1\n"},
        {tableErrors, "A number of GPUs is a whole number", "jobs: line 2", kTable + "1,1.5,0,1\n", kTable + "1,1.0,0,1\n"},
        {tableErrors, "not a time", "jobs: line 2", kTable + "1,1,-1,1\n", kTable + "1,1,0,1\n"},
        {tableErrors, "not a time", "jobs: line 2", kTable + "1,1,2020-02-30 00:00:00,1\n", kTable + "1,1,2020-02-29 23:59:60,1\n"},
        {tableErrors, "not a time", "jobs: line 2", kTable + "1,1,2020-02-29 24:00:00,1\n", kTable + "1,1,2020-02-29T00:00:00,1\n"},
        {tableErrors, "not a number from 0 on", "jobs: line 2", kTable + "1,1,0,1000000000001\n", kTable + "1,1,0,1000000000000\n"},
        {tableErrors, "The job ends before it starts", "jobs: line 2", kStarts + "1,1,0,20,19.9\n", kStarts + "1,1,0,20,20.1\n"},
        {tableErrors, "The table has no job that ran on GPUs", "jobs", kTable + "1,0,0,1\n2,1,0,0\n", kTable + "1,0,0,1\n2,1,0,1\n"},
        {tableErrors, "Further lines are wrong", "jobs", kTable + repeated(51, "1,x,0,1\n"), kTable + "1,1,0,1\n"},
        {queueErrors, "There is no such field of a queue", "queue.colour", kQueue + kJobs + R"("colour": 1)", kQueue + kJobs + R"("title": "t")"},
        {queueErrors, "Not a number in its range", "queue.jobs", kQueue + R"("jobs": 0.5, "offered_load": 0.01, "mean_duration_s": 1)", kQueue + R"("jobs": 1, "offered_load": 0.01, "mean_duration_s": 1)"},
        {queueErrors, "Not a number in its range", "queue.offered_load", kQueue + R"("jobs": 1, "offered_load": 10.1, "mean_duration_s": 1)", kQueue + R"("jobs": 1, "offered_load": 10, "mean_duration_s": 1)"},
        {queueErrors, "Not a number in its range", "queue.mean_duration_s", kQueue + R"("jobs": 1, "offered_load": 1, "mean_duration_s": 1.1e9)", kQueue + R"("jobs": 1, "offered_load": 1, "mean_duration_s": 1e9)"},
        {queueErrors, "Not a factor", "queue.duration", kJobs + R"("sizes": [{"gpus": 1, "share": 1}], "duration": {"family": "gamma"})", kJobs + R"("sizes": [{"gpus": 1, "share": 1}], "duration": {"family": "gamma", "cv": 1})"},
        {queueErrors, "The coefficient of variation is too large", "queue.duration.cv", kJobs + R"("sizes": [{"gpus": 1, "share": 1}], "duration": {"family": "gamma", "cv": 10.1})", kJobs + R"("sizes": [{"gpus": 1, "share": 1}], "duration": {"family": "gamma", "cv": 10})"},
        {queueErrors, "The sizes are a list of GPUs", "queue.sizes", kJobs + R"("duration": {"family": "gamma", "cv": 1}, "sizes": [{"gpus": 0, "share": 1}])", kJobs + R"("duration": {"family": "gamma", "cv": 1}, "sizes": [{"gpus": 1000000, "share": 1e6}])"},
        {queueErrors, "The sizes are a list of GPUs", "queue.sizes", kJobs + R"("duration": {"family": "gamma", "cv": 1}, "sizes": [])", kJobs + R"("duration": {"family": "gamma", "cv": 1}, "sizes": [)" + repeated(99, R"({"gpus": 1, "share": 1}, )") + R"({"gpus": 1, "share": 1}])"},
        {queueErrors, "The sizes are a list of GPUs", "queue.sizes", kJobs + R"("duration": {"family": "gamma", "cv": 1}, "sizes": [)" + repeated(100, R"({"gpus": 1, "share": 1}, )") + R"({"gpus": 1, "share": 1}])", kJobs + R"("duration": {"family": "gamma", "cv": 1}, "sizes": [{"gpus": 1, "share": 1e-300}])"},
    };
    return rules;
}
// clang-format on

TEST(FleetRules, EachIsBrokenAndKeptAtItsBorder)
{
    Diagnostics reported = errorsOf(readFleetCluster("[]"));
    for (Diagnostic& d : errorsOf(modelledQueue("[]", 8, 1)))
        reported.push_back(std::move(d));
    for (const FleetRule& rule : fleetRules()) {
        const Diagnostics found = test::withMessage(rule.read(rule.broken), rule.message);
        ASSERT_EQ(found.size(), 1U) << rule.message << "\n" << rule.broken.substr(0, 300);
        EXPECT_EQ(found.front().path, rule.path) << rule.message;
        const Diagnostics left = rule.read(rule.kept);
        EXPECT_TRUE(left.empty()) << rule.message << ": " << left.front().path << ": " << left.front().message << " " << left.front().found;
        reported.push_back(found.front());
    }
    test::expectEverySentence("core/fleet/clusterread.cpp", reported);
    test::expectEverySentence("core/fleet/jobtable.cpp", reported);
    test::expectEverySentence("core/fleet/queuemodel.cpp", reported);
}

TEST(FleetRules, JobsMustFitTheirCluster)
{
    const auto errors = [](std::vector<FleetJob> jobs, const FleetCluster& cluster, FleetQuery query = {1}) {
        return errorsOf(fleet({.jobs = std::move(jobs)}, cluster, query)).size();
    };
    const FleetCluster two = *readFleetCluster(R"({"nodes": 1, "gpus_per_node": 2, "gpu_type": "H100"})");
    EXPECT_EQ(errors({{"1", "", 0, 10, 2, "H100", 2}, {"2", "", 0, 10, 2, "", 3}}, two), 0U);
    EXPECT_EQ(errors({{"1", "", 0, 10, 3, "H100", 2}}, two), 1U);
    EXPECT_EQ(errors({{"1", "", 0, 10, 1, "T4", 2}}, two), 1U);
    EXPECT_EQ(errors(std::vector<FleetJob>(100, {"1", "", 0, 10, 3, "", 2}), two), 51U) << "fifty, and how many more";
    EXPECT_EQ(errors({{"1", "", 0, 10, 1, "", 2}}, two, {0}), 1U);
    EXPECT_EQ(errors({{"1", "", 0, 10, 1, "", 2}}, two, {1'001}), 1U);
    EXPECT_EQ(errors({{"1", "", 0, 10, 1, "", 2}}, two, {1'000}), 0U);
    EXPECT_EQ(errors(std::vector<FleetJob>(2'000, {"1", "", 0, 10, 1, "", 2}), *readFleetCluster(R"({"nodes": 65536})"), {1'000}), 1U);
}

/// A cluster file with more errors than a person reads: the first hundred are reported.
TEST(FleetRules, AHundredErrorsOfAClusterAreReported)
{
    const auto errorsWith = [](int unknown) {
        std::string text = R"({"nodes": 1)";
        for (int i = 0; i < unknown; ++i)
            text += ", \"x" + std::to_string(i) + "\": 1";
        return readFleetCluster(text + "}").errors().size();
    };
    EXPECT_EQ(errorsWith(99), 99U);
    EXPECT_EQ(errorsWith(100), 100U);
    EXPECT_EQ(errorsWith(101), 100U);
}

} // namespace
} // namespace prism
