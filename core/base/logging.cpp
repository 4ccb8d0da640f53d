// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/logging.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace prism {
namespace {

constexpr std::size_t kOlderFiles = 2;

void addPlace(spdlog::sink_ptr place)
{
    place->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
    auto sinks = spdlog::default_logger()->sinks();
    sinks.push_back(std::move(place));
    const auto logger = std::make_shared<spdlog::logger>("", sinks.begin(), sinks.end());
    logger->set_level(spdlog::level::debug);
    logger->flush_on(spdlog::level::debug);
    spdlog::set_default_logger(logger);
}

} // namespace

void logQuietly()
{
    const auto logger = std::make_shared<spdlog::logger>("");
    logger->set_level(spdlog::level::off);
    spdlog::set_default_logger(logger);
}

void logToTerminal()
{
    addPlace(std::make_shared<spdlog::sinks::stderr_sink_mt>());
}

Result<std::string> logToFile(const std::string& path, std::size_t rotatingBytes)
{
    try {
        if (rotatingBytes > 0)
            addPlace(std::make_shared<spdlog::sinks::rotating_file_sink_mt>(path, rotatingBytes, kOlderFiles));
        else
            addPlace(std::make_shared<spdlog::sinks::basic_file_sink_mt>(path));
    } catch (const spdlog::spdlog_ex& e) {
        return Diagnostic{Severity::error, path, "The log cannot be written.", e.what(), "a writable file", "", ""};
    }
    return path;
}

} // namespace prism
