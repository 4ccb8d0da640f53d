// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of a Hugging Face config.json: typed, with every error, and which of them were read.
#pragma once

#include "core/base/jsontext.h"
#include "core/scenario/scenario.h"

#include <nlohmann/json.hpp>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace prism {

/// Reads keys of a configuration and records which were read. `config` outlives it. One thread.
class ConfigReader final {
public:
    ConfigReader(const nlohmann::json& config, ModelConfig& m) : model(m), m_config(config) {}

    /// An integer; null and absent leave the target alone. True when it was there.
    bool integer(const char* key, std::int64_t& target);
    /// As integer; absent is an error.
    void needed(const char* key, std::int64_t& target);
    void boolean(const char* key, bool& target);
    [[nodiscard]] std::string text(const char* key);
    /// The texts of a list; empty where there is none.
    [[nodiscard]] std::vector<std::string> texts(const char* key);
    [[nodiscard]] std::size_t listSize(const char* key);
    void note(Severity severity, std::string path, std::string message);
    /// Keys that were never read, at most 60 of them.
    [[nodiscard]] std::string ignoredKeys() const;

    ModelConfig& model;
    Diagnostics errors, notes;

private:
    const nlohmann::json* find(const char* key);

    const nlohmann::json& m_config;
    std::set<std::string> m_known;
};

} // namespace prism
