// SPDX-License-Identifier: GPL-3.0-or-later
// Reads one JSON object with known keys into plain fields; every mistake becomes a diagnostic with its path.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace prism {

/// "an object", "text", "a number" ... and a short form of the value, for diagnostics.
[[nodiscard]] std::string jsonTypeName(const nlohmann::json& value);
[[nodiscard]] std::string jsonShort(const nlohmann::json& value);
[[nodiscard]] Diagnostic invalidType(std::string path, std::string accepted, const nlohmann::json& found);
/// An integer, also written as 1e3 or 16.0; nothing when it is not an integer or does not fit 64 bits.
[[nodiscard]] bool wholeNumber(const nlohmann::json& value, std::int64_t& number);

/// Takes the keys one by one; finish() reports those that were not taken. A missing key leaves its target alone.
/// The object must outlive the reader. Not thread-safe.
class ObjectReader final {
public:
    ObjectReader(const nlohmann::json& object, std::string path, Diagnostics& diagnostics);

    void integer(const char* key, std::int64_t& target, std::int64_t minimum, std::int64_t maximum);
    void integer(const char* key, int& target, int minimum, int maximum);
    void real(const char* key, double& target, double minimum, double maximum);
    void boolean(const char* key, bool& target);
    void text(const char* key, std::string& target, std::size_t maxSize = 200);
    /// One of the given words.
    void word(const char* key, std::string& target, const std::vector<std::string>& words);
    /// The value as it is, or nullptr.
    [[nodiscard]] const nlohmann::json* value(const char* key);
    /// Accepts a key and ignores its value ("source", "sources").
    void ignore(const char* key);
    void finish();
    [[nodiscard]] std::string pathOf(const char* key) const;

private:
    void outOfRange(const char* key, const nlohmann::json& found, const std::string& accepted);

    const nlohmann::json& m_object;
    std::string m_path;
    Diagnostics& m_diagnostics;
    std::vector<std::string> m_known;
};

} // namespace prism
