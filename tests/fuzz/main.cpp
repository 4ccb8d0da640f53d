// SPDX-License-Identifier: GPL-3.0-or-later
// prism-fuzz: the seeded mutation loop over all readers, for compilers without coverage-guided fuzzing. A crash, an abort or a run past the
// alarm leaves the input in last-input-TARGET.
// Seconds are those of the processor.
//   prism-fuzz [--seconds S] [--seed N] [--target NAME]... [--corpus FOLDER] [FILE...]
// With files: runs each through the one named target and nothing else (to see a finding again).
#include "fuzz/mutation.h"
#include "fuzz/target.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <sys/time.h>
#include <unistd.h>

namespace prism::fuzz {
namespace {

namespace fs = std::filesystem;

/// For one input, of the processor and of the wall's clock; the slowest sound one takes less than a second without sanitizers.
constexpr unsigned kMaxCpuSeconds = 60, kMaxWaitingSeconds = 1'800;

struct Options {
    double seconds = 60;
    std::uint64_t seed = 1;
    std::vector<std::string> names, files;
    std::string corpus;
};

std::string content(const fs::path& file)
{
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

std::vector<std::string> seedsOf(const Options& options, const Target& target)
{
    std::vector<fs::path> files;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(fs::path(options.corpus) / target.name, none))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<std::string> seeds;
    for (const fs::path& file : files)
        seeds.push_back(content(file));
    if (target.written != nullptr)
        for (std::string& text : target.written())
            seeds.push_back(std::move(text));
    return seeds;
}

void run(const Target& target, const std::string& input)
{
    std::ofstream(std::string("last-input-") + target.name, std::ios::binary) << input;
    const itimerval largest{{0, 0}, {kMaxCpuSeconds, 0}}, none{};
    setitimer(ITIMER_PROF, &largest, nullptr); // SIGPROF ends the program
    alarm(kMaxWaitingSeconds);
    target.run(input);
    alarm(0);
    setitimer(ITIMER_PROF, &none, nullptr);
}

/// Seconds of work of this process on all its threads; and of the wall's clock.
struct Clocks {
    double cpu = 0, wall = 0;
};

Clocks clocks()
{
    const auto wall = std::chrono::steady_clock::now().time_since_epoch();
    return {static_cast<double>(std::clock()) / CLOCKS_PER_SEC, std::chrono::duration<double>(wall).count()};
}

/// Runs for `seconds` of CPU time, so that a busy machine tests as much as an idle one; a target that waits ends by the wall clock.
void loop(const Options& options, const Target& target, double seconds)
{
    constexpr double kMaxWaiting = 20;
    Mutator mutator(options.seed, seedsOf(options, target), target);
    const Clocks start = clocks();
    std::uint64_t runs = 0;
    double slowest = 0;
    for (Clocks now = start; runs == 0 || (now.cpu - start.cpu < seconds && now.wall - start.wall < kMaxWaiting * seconds);) {
        run(target, mutator.next());
        const double before = now.cpu;
        now = clocks();
        slowest = std::max(slowest, now.cpu - before);
        ++runs;
    }
    fs::remove(std::string("last-input-") + target.name);
    std::printf("%-20s %9llu inputs in %6.1f s of CPU, slowest %.3f s\n", target.name, static_cast<unsigned long long>(runs),
                clocks().cpu - start.cpu, slowest);
    std::fflush(stdout);
}

bool readOptions(int argc, char** argv, Options& o)
{
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (!word.starts_with("--"))
            o.files.push_back(word);
        else if (i + 1 == argc)
            return false;
        else if (word == "--seconds")
            o.seconds = std::atof(argv[++i]);
        else if (word == "--seed")
            o.seed = static_cast<std::uint64_t>(std::atoll(argv[++i]));
        else if (word == "--target")
            o.names.emplace_back(argv[++i]);
        else if (word == "--corpus")
            o.corpus = argv[++i];
        else
            return false;
    }
    return o.files.empty() || o.names.size() == 1;
}

int fuzz(const Options& options)
{
    std::vector<Target> chosen;
    for (const auto& group : {scenarioTargets(), graphTargets(), tableTargets(), studyTargets(), traceTargets(), questionTargets()})
        for (const Target& t : group)
            if (options.names.empty() || std::find(options.names.begin(), options.names.end(), t.name) != options.names.end())
                chosen.push_back(t);
    if (chosen.empty())
        return 2;
    for (const std::string& file : options.files)
        run(chosen.front(), content(file));
    if (options.files.empty())
        for (const Target& target : chosen)
            loop(options, target, options.seconds / static_cast<double>(chosen.size()));
    return 0;
}

} // namespace
} // namespace prism::fuzz

int main(int argc, char** argv)
{
    prism::fuzz::Options options;
    options.corpus = PRISM_FUZZ_CORPUS;
    if (!prism::fuzz::readOptions(argc, argv, options)) {
        std::fprintf(stderr, "usage: prism-fuzz [--seconds S] [--seed N] [--target NAME]... [--corpus FOLDER] [FILE...]\n");
        return 2;
    }
    return prism::fuzz::fuzz(options);
}
