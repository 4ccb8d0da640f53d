// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/chrometrace.h"

#include "core/base/text.h"

#include <nlohmann/json.hpp>

#include <set>

namespace prism {

namespace {

std::string quoted(std::string_view text)
{
    return nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Events in sequence in the format's outer object.
class Writer {
public:
    void name(const char* what, long long pid, long long tid, std::string_view text)
    {
        begin();
        m_text += R"({"ph": "M", "name": ")" + std::string(what) + R"(", "pid": )" + std::to_string(pid) + R"(, "tid": )"
                  + std::to_string(tid) + R"(, "args": {"name": )" + quoted(text) + "}}";
    }
    void event(std::string_view category, std::string_view name, long long pid, long long tid, double start, double duration,
               const std::string& args)
    {
        begin();
        m_text += R"({"ph": "X", "cat": )" + quoted(category) + R"(, "name": )" + quoted(name) + R"(, "pid": )" + std::to_string(pid)
                  + R"(, "tid": )" + std::to_string(tid) + R"(, "ts": )" + numberText(start) + R"(, "dur": )" + numberText(duration)
                  + R"(, "args": )" + args + "}";
    }
    std::string text() { return m_text + "\n], \"displayTimeUnit\": \"ms\"}\n"; }

private:
    void begin()
    {
        m_text += m_isFirst ? "\n" : ",\n";
        m_isFirst = false;
    }
    std::string m_text = R"({"traceEvents": [)";
    bool m_isFirst = true;
};

} // namespace

std::string chromeTrace(const std::vector<KinetoRank>& ranks)
{
    Writer writer;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        const KinetoRank& rank = ranks[r];
        const auto pid = static_cast<long long>(r);
        writer.name("process_name", pid, 0, "rank " + std::to_string(rank.rank));
        std::set<std::int32_t> streams;
        for (const KinetoKernel& k : rank.kernels)
            if (streams.insert(k.stream).second)
                writer.name("thread_name", pid, k.stream, "stream " + std::to_string(k.stream));
        for (const KinetoKernel& k : rank.kernels)
            writer.event(k.isCopy ? "gpu_memcpy" : "kernel", rank.names[k.name], pid, k.stream, k.start, k.duration,
                         R"({"device": )" + std::to_string(k.device) + R"(, "stream": )" + std::to_string(k.stream) + R"(, "correlation": )"
                             + std::to_string(k.correlation) + "}");
    }
    return writer.text();
}

std::string chromeTrace(const TraceStep& step, const TraceJob& job)
{
    constexpr double kMicroseconds = 1e6;
    Writer writer;
    std::set<std::pair<int, int>> threads;
    for (const TraceOperation& o : step.operations) {
        const int replica =
            o.replica < static_cast<int>(job.replicaNumbers.size()) ? job.replicaNumbers[static_cast<std::size_t>(o.replica)] : o.replica;
        const int thread = 2 * o.stage + (isCompute(o.type) || o.type == TraceOp::optimizer ? 0 : 1);
        if (threads.insert({o.replica, -1}).second)
            writer.name("process_name", o.replica, 0, "replica " + std::to_string(replica));
        if (threads.insert({o.replica, thread}).second)
            writer.name("thread_name", o.replica, thread, "stage " + std::to_string(o.stage) + (thread % 2 == 0 ? "" : " communication"));
        writer.event(isCompute(o.type) ? "compute" : "communication", traceOpName(o.type), o.replica, thread,
                     kMicroseconds * (o.start - step.begin()), kMicroseconds * o.duration,
                     R"({"step": )" + std::to_string(step.number) + R"(, "micro_batch": )" + std::to_string(o.microBatch) + "}");
    }
    return writer.text();
}

} // namespace prism
