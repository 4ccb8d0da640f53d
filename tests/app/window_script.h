// SPDX-License-Identifier: GPL-3.0-or-later
// The window without a display, worked by a script: runs, kills, and the contents of the study afterwards.
#pragma once

#include "prism_programs.h"
#include "run_cli.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <thread>

namespace prism::test {

/// Whether there is a window to test.
inline bool hasExplorer()
{
    return std::string(PRISM_EXPLORER).size() > 1;
}

/// A small study whose one scenario is called "base", and scripts that work on it. Each test its own folder.
class WindowStudy {
public:
    explicit WindowStudy(const std::string& name) : m_folder(scratch() / name)
    {
        std::filesystem::remove_all(m_folder);
        std::filesystem::create_directories(m_folder);
        std::ofstream(at("base.json"))
            << R"({"version": 1, "name": "base", "cluster": {"num_gpus": 8}, "training": {"global_batch_size": 16}})";
        runCli("study add " + study() + " " + at("base.json") + " --name base");
    }
    ~WindowStudy() { std::filesystem::remove_all(m_folder); }
    WindowStudy(const WindowStudy&) = delete;
    WindowStudy& operator=(const WindowStudy&) = delete;

    [[nodiscard]] std::string at(const std::string& name) const { return (m_folder / name).string(); }
    [[nodiscard]] std::string study() const { return at("study.prism"); }

    /// Runs a script to its end. `before` is shell text in front of the program, `options` more of its options.
    [[nodiscard]] CliRun run(const std::string& script, const std::string& before = "", const std::string& options = "") const
    {
        const std::string command = prepared(script, before) + " " + options + " >" + at("run.out") + " 2>" + at("err");
        const int status = std::system(command.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), slurp(at("run.out")), slurp(at("err"))};
    }

    /// Starts a script and comes back once it has printed `line`; ended() ends it.
    [[nodiscard]] pid_t started(const std::string& script, const std::string& line) const
    {
        std::ofstream(at("script")) << script;
        std::filesystem::remove(at("out"));
        const pid_t child = fork();
        if (child == 0) {
            setenv("QT_QPA_PLATFORM", "offscreen", 1);
            const int out = open(at("out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), err = open("/dev/null", O_WRONLY);
            dup2(out, STDOUT_FILENO);
            dup2(err, STDERR_FILENO);
            execl(PRISM_EXPLORER, PRISM_EXPLORER, "--script", at("script").c_str(), study().c_str(), nullptr);
            _exit(127);
        }
        for (int i = 0; i < 1200 && count(line) == 0; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return child;
    }

    /// Kills it. How often it had printed the line; -1 where it had ended by itself.
    [[nodiscard]] int ended(pid_t child, const std::string& line) const
    {
        kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
        return WIFSIGNALED(status) ? count(line) : -1;
    }

    /// Runs a script until it has printed `line` and `milliseconds` more, then kills it. How often it had printed the line.
    [[nodiscard]] int killed(const std::string& script, const std::string& line, int milliseconds) const
    {
        const pid_t child = started(script, line);
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        return ended(child, line);
    }

    /// A parameter of the scenario "base" as the file has it; null where the study cannot be read.
    [[nodiscard]] nlohmann::json parameter(const char* section, const char* key) const
    {
        const CliRun shown = runCli("study show " + study() + " base --json");
        const auto json = nlohmann::json::parse(shown.out, nullptr, false);
        return json.is_object() ? json["scenario"][section].value(key, nlohmann::json()) : nlohmann::json();
    }

private:
    [[nodiscard]] std::string prepared(const std::string& script, const std::string& before) const
    {
        std::ofstream(at("run")) << script;
        return before + " QT_QPA_PLATFORM=offscreen \"" PRISM_EXPLORER "\" --script " + at("run") + " " + study();
    }
    [[nodiscard]] int count(const std::string& line) const
    {
        int n = 0;
        std::ifstream in(at("out"));
        for (std::string l; std::getline(in, l);)
            n += l == line ? 1 : 0;
        return n;
    }
    std::filesystem::path m_folder;
};

} // namespace prism::test
