// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/kineto.h"

#include "core/base/diagnostictext.h"
#include "core/base/jsontext.h"
#include "core/base/text.h"
#include "core/trace/eventstream.h"
#include "core/trace/rankwindows.h"
#include "core/trace/tracelimits.h"

#include <nlohmann/json.hpp>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <unordered_map>

namespace prism {

namespace {

namespace fs = std::filesystem;
namespace ondemand = simdjson::ondemand;

constexpr std::size_t kMaxNames = 1'000'000, kMaxSteps = 10'000, kMaxText = 4096, kPadding = 64;
constexpr double kMaxMicroseconds = 1e16; // some three hundred years
constexpr std::int64_t kMaxIndex = 1 << 20;

enum class Category { other, kernel, copy, runtime, communication, step };

/// What is taken from one event.
struct Event {
    std::string_view phase, category, name;
    double start = 0, duration = -1;
    std::int64_t pid = -1, tid = -1;
    bool hasStart = false;
    std::int64_t correlation = -1, externalId = -1, stream = -1, device = -1;
    std::uint32_t grid = 0, block = 0;
    KinetoCollective collective;
};

bool isKernelCategory(std::string_view category)
{
    return category == "kernel" || category == "Kernel";
}
bool isCopyCategory(std::string_view category)
{
    return category == "gpu_memcpy" || category == "gpu_memset" || category == "Memcpy" || category == "Memset";
}
/// Calls on the host: "cuda_runtime", "cuda_driver", "hip_runtime", "xpu_runtime"; "Runtime" until 2021.
bool isRuntimeCategory(std::string_view category)
{
    return category.ends_with("_runtime") || category.ends_with("_driver") || category == "Runtime";
}

/// Whole numbers, also where they are written as text or with a fraction.
std::int64_t wholeOf(ondemand::value value)
{
    double number = 0;
    std::string_view text;
    if (value.get_double().get(number) == simdjson::SUCCESS)
        return std::isfinite(number) && std::abs(number) < 9e18 ? static_cast<std::int64_t>(number) : -1;
    if (value.get_string().get(text) == simdjson::SUCCESS)
        if (const auto read = integerFromText(text))
            return *read;
    return -1;
}

/// A number, also where it is written as text: releases differ.
bool readNumber(ondemand::value value, double& number)
{
    std::string_view text;
    if (value.get_double().get(number) == simdjson::SUCCESS)
        return true;
    if (value.get_string().get(text) != simdjson::SUCCESS)
        return false;
    const auto read = doubleFromText(text);
    number = read.value_or(number);
    return read.has_value();
}

std::string textOf(ondemand::value value)
{
    std::string_view text;
    if (value.get_string().get(text) == simdjson::SUCCESS)
        return std::string(text.substr(0, kMaxText));
    if (value.raw_json_token().empty())
        return {};
    return std::string(trimmed(value.raw_json_token()).substr(0, kMaxText));
}

std::uint32_t productOf(ondemand::value value)
{
    ondemand::array list;
    if (value.get_array().get(list) != simdjson::SUCCESS)
        return 0;
    double product = 1;
    for (auto entry : list) {
        double number = 0;
        if (entry.get_double().get(number) != simdjson::SUCCESS)
            return 0;
        product *= number;
    }
    return product > 0 && product < 4e9 ? static_cast<std::uint32_t>(product) : 0;
}

void readArgument(ondemand::field& field, Event& e)
{
    std::string_view key;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS)
        return;
    ondemand::value value = field.value();
    KinetoCollective& c = e.collective;
    if (key == "correlation")
        e.correlation = wholeOf(value);
    else if (key == "External id" || key == "external id")
        e.externalId = wholeOf(value);
    else if (key == "stream")
        e.stream = wholeOf(value);
    else if (key == "device")
        e.device = wholeOf(value);
    else if (key == "grid")
        e.grid = productOf(value);
    else if (key == "block")
        e.block = productOf(value);
    else if (key == "Collective name")
        c.name = textOf(value);
    else if (key == "Process Group Name")
        c.group = textOf(value);
    else if (key == "Process Group Ranks")
        c.ranks = textOf(value);
    else if (key == "dtype")
        c.dtype = textOf(value);
    else if (key == "Group size")
        c.groupSize = wholeOf(value);
    else if (key == "In msg nelems")
        c.inElements = wholeOf(value);
    else if (key == "Out msg nelems")
        c.outElements = wholeOf(value);
    else if (key == "Src Rank" || key == "Dst Rank")
        c.peer = wholeOf(value);
}

/// Whether an event is read on after one of its fields.
enum class Reading { goesOn, isNotRequested, isBroken };

Reading readCategory(ondemand::value value, Event& e)
{
    if (value.get_string().get(e.category) != simdjson::SUCCESS)
        return Reading::isBroken;
    const bool isRequested = isKernelCategory(e.category) || isCopyCategory(e.category) || isRuntimeCategory(e.category)
                             || e.category == "cpu_op" || e.category == "user_annotation" || e.category == "Operator";
    return isRequested ? Reading::goesOn : Reading::isNotRequested;
}

Reading readName(ondemand::value value, Event& e)
{
    if (value.get_string().get(e.name) != simdjson::SUCCESS)
        return Reading::isBroken;
    const bool isOtherOperator = e.category == "cpu_op" && e.name != "record_param_comms";
    const bool isOtherMark = e.category == "user_annotation" && !e.name.starts_with("ProfilerStep");
    return isOtherOperator || isOtherMark ? Reading::isNotRequested : Reading::goesOn;
}

Reading readArguments(ondemand::value value, Event& e)
{
    ondemand::object arguments;
    if (value.get_object().get(arguments) != simdjson::SUCCESS)
        return Reading::goesOn;
    for (auto argument : arguments) {
        ondemand::field inner;
        if (std::move(argument).get(inner) != simdjson::SUCCESS)
            return Reading::isBroken;
        readArgument(inner, e);
    }
    return Reading::goesOn;
}

Reading readField(std::string_view key, ondemand::value value, Event& e)
{
    if (key == "ph") {
        if (value.get_string().get(e.phase) != simdjson::SUCCESS)
            return Reading::isBroken;
        return e.phase == "X" ? Reading::goesOn : Reading::isNotRequested;
    }
    if (key == "cat")
        return readCategory(value, e);
    if (key == "name")
        return readName(value, e);
    if (key == "args")
        return readArguments(value, e);
    if (key == "ts")
        e.hasStart = readNumber(value, e.start);
    else if (key == "dur" && !readNumber(value, e.duration))
        e.duration = -1; // counted with the invalid times
    else if (key == "pid")
        e.pid = wholeOf(value);
    else if (key == "tid")
        e.tid = wholeOf(value);
    return Reading::goesOn;
}

Category categoryOf(const Event& e)
{
    if (isKernelCategory(e.category))
        return Category::kernel;
    if (isCopyCategory(e.category))
        return Category::copy;
    if (isRuntimeCategory(e.category))
        return Category::runtime;
    if (e.name == "record_param_comms")
        return Category::communication;
    return e.name.starts_with("ProfilerStep") ? Category::step : Category::other;
}

/// Reads the needed fields of one event; false where it is broken. Events that are not needed end early.
bool readEvent(ondemand::object object, Event& e, Category& category)
{
    category = Category::other;
    for (auto entry : object) {
        ondemand::field field;
        if (std::move(entry).get(field) != simdjson::SUCCESS)
            return false;
        std::string_view key;
        if (field.unescaped_key().get(key) != simdjson::SUCCESS)
            return false;
        const Reading reading = readField(key, field.value(), e);
        if (reading != Reading::goesOn)
            return reading == Reading::isNotRequested;
    }
    category = categoryOf(e);
    return true;
}

/// Gathers one file's events.
class FileReader {
public:
    explicit FileReader(KinetoRank& all) : m_all(all) {}

    /// How many of the array's elements could be read.
    std::size_t read(std::string_view array)
    {
        std::size_t done = 0;
        ondemand::document document;
        ondemand::array list;
        if (m_parser.iterate(array.data(), array.size(), array.size() + kPadding).get(document) != simdjson::SUCCESS
            || document.get_array().get(list) != simdjson::SUCCESS)
            return 0;
        for (auto element : list) {
            ondemand::object object;
            Event e;
            Category category = Category::other;
            if (element.get_object().get(object) != simdjson::SUCCESS || !readEvent(object, e, category))
                return done;
            ++done;
            ++m_all.events;
            take(e, category);
        }
        return done;
    }

    /// Joins launches and collectives with kernels.
    void finish()
    {
        for (KinetoKernel& k : m_all.kernels) {
            std::int64_t external = k.externalId;
            if (const auto at = m_launches.find(k.correlation); at != m_launches.end()) {
                k.launch = at->second.first;
                if (external < 0)
                    external = at->second.second;
            }
            if (const auto at = m_communication.find(external); k.collective < 0 && at != m_communication.end())
                k.collective = at->second;
            k.isCollective = k.isCollective || (k.collective >= 0 && !k.isCopy);
        }
        std::stable_sort(m_all.kernels.begin(), m_all.kernels.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
        std::stable_sort(m_all.steps.begin(), m_all.steps.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
        note(describeByRepetition(m_all),
             " collectives were launched before the recording began; what they are follows from the order in which "
             "their stream's collectives repeat");
        note(m_negative, " GPU activities have no valid time and were omitted");
    }

private:
    void note(std::uint64_t n, const char* what)
    {
        if (n > 0)
            m_all.notes.push_back({Severity::warning, m_all.path, std::to_string(n) + what, "", "", "", ""});
    }
    std::uint32_t nameOf(std::string_view name)
    {
        const auto [at, isNew] = m_names.try_emplace(std::string(name.substr(0, kMaxText)), static_cast<std::uint32_t>(m_all.names.size()));
        if (isNew && m_all.names.size() < kMaxNames)
            m_all.names.push_back(at->first);
        return std::min(at->second, static_cast<std::uint32_t>(m_all.names.size() - 1));
    }
    void take(const Event& e, Category category)
    {
        if (category == Category::runtime && e.correlation >= 0)
            m_launches[e.correlation] = {e.hasStart ? e.start : -1, e.externalId};
        if (category == Category::communication && e.externalId >= 0 && !e.collective.name.empty()) {
            m_communication[e.externalId] = static_cast<std::int32_t>(m_all.collectives.size());
            m_all.collectives.push_back(e.collective);
        }
        const bool isTimed = e.hasStart && std::isfinite(e.duration) && e.duration >= 0 && std::abs(e.start) < kMaxMicroseconds
                             && e.duration < kMaxMicroseconds;
        if (category == Category::step && isTimed && m_all.steps.size() < kMaxSteps)
            m_all.steps.push_back({std::string(e.name.substr(0, 100)), e.start, e.duration});
        if (category != Category::kernel && category != Category::copy)
            return;
        if (!isTimed) {
            ++m_negative;
            return;
        }
        KinetoKernel k{
            .start = e.start, .duration = e.duration, .name = nameOf(e.name), .correlation = e.correlation, .externalId = e.externalId};
        k.stream = static_cast<std::int32_t>(std::clamp<std::int64_t>(e.stream >= 0 ? e.stream : e.tid, -1, kMaxIndex));
        k.device = static_cast<std::int32_t>(std::clamp<std::int64_t>(e.device >= 0 ? e.device : e.pid, -1, kMaxIndex));
        k.process = static_cast<std::int32_t>(std::clamp<std::int64_t>(e.pid, -1, kMaxIndex));
        k.grid = e.grid;
        k.block = e.block;
        k.isCopy = category == Category::copy;
        k.isCollective = !k.isCopy && isCollectiveKernel(e.name);
        if (!k.isCopy && !e.collective.name.empty()) {
            k.collective = static_cast<std::int32_t>(m_all.collectives.size());
            m_all.collectives.push_back(e.collective);
        }
        m_all.kernels.push_back(k);
    }

    KinetoRank& m_all;
    ondemand::parser m_parser;
    std::unordered_map<std::string, std::uint32_t> m_names;
    std::unordered_map<std::int64_t, std::pair<double, std::int64_t>> m_launches; ///< by correlation: begin, external id
    std::unordered_map<std::int64_t, std::int32_t> m_communication;               ///< by external id
    std::uint64_t m_negative = 0;
};

/// Rank and world size from the text around the events.
void readDistributedInfo(const std::string& head, const std::string& trailer, KinetoRank& rank)
{
    for (const std::string& text : {head + "\"traceEvents\": []}", "{\"traceEvents\": []" + trailer}) {
        const auto json = parseJson(text);
        if (!json.ok() || !json->is_object())
            continue;
        const auto info = json->find("distributedInfo");
        if (info == json->end() || !info->is_object())
            continue;
        const auto number = [&](const char* key) {
            const auto at = info->find(key);
            return at != info->end() && at->is_number_integer()
                       ? static_cast<int>(std::clamp<std::int64_t>(at->get<std::int64_t>(), 0, 1 << 24))
                       : 0;
        };
        rank.rank = number("rank");
        rank.worldSize = number("world_size");
        rank.isNamed = info->contains("rank");
    }
}

/// Names and collectives of one device out of those of its file: each is copied once, where a kernel needs it.
class DeviceRank {
public:
    explicit DeviceRank(const KinetoRank& all) : m_all(all)
    {
        m_rank.path = all.path;
        m_rank.worldSize = all.worldSize;
        m_rank.steps = all.steps;
        m_rank.events = all.events;
        m_rank.notes = all.notes;
    }
    void add(KinetoKernel kernel)
    {
        const auto [name, newName] = m_names.try_emplace(kernel.name, static_cast<std::uint32_t>(m_rank.names.size()));
        if (newName)
            m_rank.names.push_back(m_all.names[kernel.name]);
        kernel.name = name->second;
        if (kernel.collective >= 0) {
            const auto [call, newCall] = m_collectives.try_emplace(kernel.collective, static_cast<std::int32_t>(m_rank.collectives.size()));
            if (newCall)
                m_rank.collectives.push_back(m_all.collectives[static_cast<std::size_t>(kernel.collective)]);
            kernel.collective = call->second;
        }
        m_rank.kernels.push_back(kernel);
    }
    [[nodiscard]] KinetoRank take(int number)
    {
        m_rank.rank = number;
        return std::move(m_rank);
    }

private:
    const KinetoRank& m_all;
    KinetoRank m_rank;
    std::unordered_map<std::uint32_t, std::uint32_t> m_names;
    std::unordered_map<std::int32_t, std::int32_t> m_collectives;
};

/// One rank per device where several devices run collectives; where ranks were merged into one file, devices with the same number are
/// distinguished by their process. Error: more devices than a host has.
Result<std::vector<KinetoRank>> splitByDevice(KinetoRank all)
{
    std::map<std::pair<std::int32_t, std::int32_t>, DeviceRank> devices;
    std::set<std::int32_t> numbers;
    for (const KinetoKernel& k : all.kernels) {
        if (k.isCollective && devices.try_emplace({k.process, k.device}, all).second)
            numbers.insert(k.device);
        if (devices.size() > kMaxTraceDevices)
            return errorAt(all.path, "the trace names more devices than a host has", "more than " + std::to_string(kMaxTraceDevices),
                           "at most " + std::to_string(kMaxTraceDevices));
    }
    std::vector<KinetoRank> ranks;
    if (devices.size() < 2) {
        ranks.push_back(std::move(all));
        return ranks;
    }
    for (const KinetoKernel& k : all.kernels)
        if (const auto at = devices.find({k.process, k.device}); at != devices.end())
            at->second.add(k);
    for (auto& [device, rank] : devices)
        ranks.push_back(rank.take(numbers.size() == devices.size() ? device.second : static_cast<int>(ranks.size())));
    return ranks;
}

} // namespace

bool isCollectiveKernel(std::string_view name)
{
    const std::string low = lowered(name.substr(0, 200));
    return low.find("ncclkernel") != std::string::npos || low.find("nccldevkernel") != std::string::npos
           || low.find("ncclkern_") != std::string::npos || low.starts_with("nccl") || low.starts_with("rccl")
           || low.find("ncclsymk") != std::string::npos || low.find("mscclkernel") != std::string::npos;
}

Result<std::vector<KinetoRank>> readKineto(const std::string& path, const ReadControl& control)
{
    Result<ByteSource> source = ByteSource::open(path, control);
    if (!source)
        return source.errors();
    KinetoRank all;
    all.path = path;
    FileReader reader(all);
    const EventStreamEnd end = readEventStream(source.value(), [&](std::string_view array, std::size_t) { return reader.read(array); });
    if (source.value().end() == StreamEnd::cancelled)
        return Diagnostic{Severity::error, path, streamEndText(StreamEnd::cancelled), "", "", "", ""};
    if (!end.foundArray)
        return errorAt(path, "there is no list of events", "", "\"traceEvents\": [ ... ] or a JSON array of events");
    if (end.broken > 0)
        all.notes.push_back({Severity::warning, path, std::to_string(end.broken) + " events are broken and were omitted", "", "", "", ""});
    if (const std::string text = streamEndText(source.value().end()); !text.empty())
        all.notes.push_back({Severity::warning, path, text, "", "", "", ""});
    else if (!end.closedArray)
        all.notes.push_back({Severity::warning, path, "the list of events has no end", "", "", "", ""});
    reader.finish();
    if (all.kernels.empty())
        return errorAt(path, "there is no GPU activity", std::to_string(all.events) + " events", "events of the category kernel");
    readDistributedInfo(end.header, end.trailer, all);
    return splitByDevice(std::move(all));
}

Result<std::vector<std::string>> kinetoFiles(const std::vector<std::string>& paths)
{
    std::vector<std::string> files;
    const auto isTrace = [](const std::string& name) { return name.ends_with(".json") || name.ends_with(".json.gz"); };
    for (const std::string& path : paths) {
        std::error_code error;
        if (!fs::is_directory(path, error)) {
            if (!fs::exists(path, error))
                return Diagnostic{Severity::error, path, "there is no such file or folder", "", "", "", ""};
            files.push_back(path);
            continue;
        }
        for (fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, error), end;
             !error && at != end && files.size() <= kMaxTraceFiles; at.increment(error))
            if (at->is_regular_file(error) && isTrace(at->path().filename().string()))
                files.push_back(at->path().string());
        if (files.size() > kMaxTraceFiles)
            return errorAt(path, "there are too many trace files", "", "up to " + std::to_string(kMaxTraceFiles));
    }
    std::sort(files.begin(), files.end());
    if (files.empty())
        return errorAt(paths.empty() ? "" : paths.front(), "there is no trace file in it", "", "*.json or *.json.gz");
    return files;
}

Result<std::vector<KinetoRank>> readProfiles(const std::vector<std::string>& paths, const ReadControl& control, Diagnostics& problems)
{
    const Result<std::vector<std::string>> files = kinetoFiles(paths);
    if (!files)
        return files.errors();
    std::vector<KinetoRank> ranks;
    for (const std::string& file : *files) {
        Result<std::vector<KinetoRank>> read = readKineto(file, control);
        if (control.stop.stop_requested())
            return errorAt(file, streamEndText(StreamEnd::cancelled), "", "");
        if (read.ok())
            std::move(read->begin(), read->end(), std::back_inserter(ranks));
        const auto first = problems.insert(problems.end(), read.errors().begin(), read.errors().end());
        std::for_each(first, problems.end(), [](Diagnostic& d) { d.severity = Severity::warning; });
    }
    if (!ranks.empty())
        return joinedWindows(std::move(ranks));
    for (Diagnostic& d : problems)
        d.severity = Severity::error;
    return problems;
}

} // namespace prism
