// SPDX-License-Identifier: GPL-3.0-or-later
// Folders that vanish, a clock that only tests turn, and diagnostics as text.
#pragma once

#include "core/study/study.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

namespace prism::study_test {

/// A fresh folder, removed with its contents; in memory where the system has a place for that (nothing here cuts the power).
class Folder final {
public:
    Folder()
    {
        const std::filesystem::path memory = "/dev/shm";
        const auto base = access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
        std::string name = (base / "prism-study-XXXXXX").string();
        m_path = mkdtemp(name.data());
    }
    ~Folder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] std::string operator/(const std::string& name) const { return m_path + "/" + name; }
    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    std::string m_path;
};

/// While it lives, no file of this process grows beyond `bytes` bytes: a disk that is full.
class SmallFiles final {
public:
    explicit SmallFiles(std::size_t bytes)
    {
        signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit small{bytes, m_before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
    }
    ~SmallFiles() { setrlimit(RLIMIT_FSIZE, &m_before); }
    SmallFiles(const SmallFiles&) = delete;
    SmallFiles& operator=(const SmallFiles&) = delete;

private:
    rlimit m_before{};
};

/// The clock starts at 2026-01-01 and steps a second with each look, unless `stepMs` says otherwise.
inline StudyOptions options(std::int64_t stepMs = 1000)
{
    StudyOptions options;
    options.program = "test";
    options.nowMs = [now = std::make_shared<std::int64_t>(1767225600000), stepMs] { return *now += stepMs; };
    return options;
}

inline std::string text(const Diagnostics& diagnostics)
{
    std::string text;
    for (const Diagnostic& d : diagnostics)
        text += d.path + ": " + d.message + " [" + d.found + "] (" + d.accepted + ")\n";
    return text;
}

} // namespace prism::study_test
