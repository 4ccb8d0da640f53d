// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/timeline.h"

#include "core/stats/random.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace prism {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr int kMaxFailures = 100'000; ///< more than any job that makes progress has

/// What is drawn; a stream each, so that one more event of a kind leaves the others' draws alone.
enum class Draw : std::uint64_t { softFailure = 0x6a6f6201, nodeFailure, slowStart, slowLength };

/// Exponential times of one kind of event in one run, in sequence.
class Exponentials final {
public:
    Exponentials(std::uint64_t seed, std::uint64_t run, Draw draw) : m_seed(seed), m_stream(stream(static_cast<std::uint64_t>(draw), run))
    {
    }
    [[nodiscard]] double next(double rate) { return rate > 0 ? -std::log(uniform(m_seed, m_stream, m_index++)) / rate : kNever; }

private:
    std::uint64_t m_seed;
    StreamId m_stream;
    std::uint64_t m_index = 0;
};

/// Training between two events: how far it is in its checkpoint cycle and what is safe.
class Progress final {
public:
    explicit Progress(const TimelineInputs& in) : m_in(in) {}

    [[nodiscard]] double done() const { return m_done; }
    /// Wall time until all work is done and its last checkpoint written, at `speed` work per second.
    [[nodiscard]] double untilDone(double speed) const
    {
        const double compute = std::max(0.0, m_in.workSeconds - m_done) / speed;
        if (compute == 0)
            return m_blockLeft;
        const double checkpoints = std::isfinite(m_in.interval) ? std::ceil((m_inCycle + compute) / m_in.interval - 1e-9) : 1;
        return m_blockLeft + compute + checkpoints * m_in.block;
    }
    /// Trains for `wall` seconds.
    void advance(double wall, double speed, RunLedger& ledger);
    /// Falls back to the last safe checkpoint; what is lost counts as rework.
    void fail(double now, RunLedger& ledger);
    /// All work so far is safe: a stop that waited for its checkpoint.
    void save()
    {
        m_safe = m_written = m_done;
        m_inCycle = m_blockLeft = 0;
    }
    void setNow(double now) { m_now = now; }

private:
    [[nodiscard]] bool allDone() const { return m_done >= m_in.workSeconds * (1 - 1e-12); }
    void compute(double wall, double speed, RunLedger& ledger);
    void block(double wall, RunLedger& ledger);
    double skipCycles(double wall, double speed, RunLedger& ledger);
    void checkpoint();

    const TimelineInputs& m_in;
    double m_now = 0, m_done = 0;
    double m_inCycle = 0, m_blockLeft = 0; ///< seconds computed since the last checkpoint began; of a running one that are left
    double m_safe = 0, m_written = 0, m_writtenAt = -1e300; ///< work in the last safe and in the newest checkpoint, and when that was taken
};

void Progress::compute(double wall, double speed, RunLedger& ledger)
{
    m_now += wall;
    m_inCycle += wall;
    m_done += wall * speed;
    ledger.productive += wall * speed;
}

void Progress::checkpoint()
{
    if (m_now >= m_writtenAt + m_in.persist)
        m_safe = m_written;
    m_written = m_done;
    m_writtenAt = m_now;
    m_inCycle = 0;
}

/// Whole cycles at once, all but the last two of a stretch; returns the wall time that is left.
double Progress::skipCycles(double wall, double speed, RunLedger& ledger)
{
    const double cycle = m_in.interval + m_in.block, left = (m_in.workSeconds - m_done) / speed;
    const double whole = std::floor(std::min(wall / cycle, left / m_in.interval)) - 2;
    if (!(m_inCycle == 0 && whole > 0))
        return wall;
    m_safe = m_done + (whole - 1) * m_in.interval * speed;
    m_done = m_written = m_safe + m_in.interval * speed;
    m_now = m_writtenAt = m_now + whole * cycle;
    ledger.productive += whole * m_in.interval * speed;
    ledger.checkpoint += whole * m_in.block;
    return wall - whole * cycle;
}

void Progress::block(double wall, RunLedger& ledger)
{
    m_blockLeft -= wall;
    m_now += wall;
    ledger.checkpoint += wall;
    if (m_blockLeft <= 1e-9) {
        m_blockLeft = 0;
        checkpoint();
    }
}

void Progress::advance(double wall, double speed, RunLedger& ledger)
{
    while (wall > 0) {
        if (m_blockLeft > 0) {
            const double part = std::min(wall, m_blockLeft);
            block(part, ledger);
            wall -= part;
            continue;
        }
        if (allDone())
            return;
        wall = skipCycles(wall, speed, ledger);
        const double left = (m_in.workSeconds - m_done) / speed; // the last checkpoint follows the last step
        const double part = std::min({wall, m_in.interval - m_inCycle, left});
        compute(part, speed, ledger);
        wall -= part;
        if (m_inCycle < m_in.interval * (1 - 1e-12) && !allDone())
            continue;
        m_blockLeft = m_in.block;
        if (m_in.block == 0)
            checkpoint();
    }
}

void Progress::fail(double now, RunLedger& ledger)
{
    if (now >= m_writtenAt + m_in.persist)
        m_safe = m_written;
    m_written = m_safe;
    const double lost = m_done - m_safe;
    ledger.rework += lost;
    ledger.productive -= lost;
    m_done = m_safe;
    m_inCycle = m_blockLeft = 0;
}

/// One run: the next event of each kind, and what it does.
class Run final {
public:
    Run(const TimelineInputs& in, std::uint64_t seed, std::uint64_t run)
        : m_in(in),
          m_progress(in),
          m_soft(seed, run, Draw::softFailure),
          m_node(seed, run, Draw::nodeFailure),
          m_slow(seed, run, Draw::slowStart),
          m_length(seed, run, Draw::slowLength)
    {
        m_nextSoft = m_soft.next(in.softFailureRate);
        m_nextNode = m_node.next(in.nodeFailureRate);
        m_nextSlow = m_slow.next(in.slowRate);
        m_nextStop = in.maintenanceEvery > 0 ? in.maintenanceEvery : kNever;
    }
    [[nodiscard]] RunLedger ledger();

private:
    void train(double until);
    void failure(bool takesNode);
    void restartUntilClean();
    void idle(double seconds, double RunLedger::*cause);
    void loseNode();
    void returnNodes();
    void beginSlow();
    void endSlow();
    void plannedStop();
    [[nodiscard]] double speed() const { return speedOfNodes() / (m_now < m_slowUntil ? m_in.slowFactor : 1); }
    [[nodiscard]] double speedOfNodes() const;
    [[nodiscard]] bool givenUp() const { return m_now >= m_in.longestSeconds || m_ledger.failures > kMaxFailures; }
    [[nodiscard]] double nextRepair() const { return m_repairs.empty() ? kNever : m_repairs.front(); }

    const TimelineInputs& m_in;
    RunLedger m_ledger;
    Progress m_progress;
    Exponentials m_soft, m_node, m_slow, m_length;
    double m_now = 0, m_nextSoft = kNever, m_nextNode = kNever, m_nextSlow = kNever, m_nextStop = kNever;
    double m_slowUntil = -1;
    bool m_mitigated = false;      ///< the running episode ends by a restart
    std::vector<double> m_repairs; ///< when nodes come back, ascending
    int m_missing = 0;             ///< nodes that the job runs without
};

double Run::speedOfNodes() const
{
    if (m_missing == 0)
        return 1;
    const double replicas = std::floor((m_in.nodes - m_missing) / m_in.nodesPerReplica + 1e-9);
    return std::max(0.0, replicas * m_in.nodesPerReplica / m_in.nodes);
}

/// Nothing trains and nothing fails meanwhile.
void Run::idle(double seconds, double RunLedger::*cause)
{
    m_ledger.*cause += seconds;
    m_now += seconds;
    m_nextSoft += seconds;
    m_nextNode += seconds;
    m_nextSlow += seconds;
}

void Run::train(double until)
{
    const double wall = until - m_now, rate = speed();
    const double before = m_ledger.productive + m_ledger.checkpoint;
    m_progress.setNow(m_now);
    m_progress.advance(wall, rate, m_ledger);
    // What the wall clock shows beyond work and checkpoints is the time that slowness took.
    const double lost = wall - (m_ledger.productive + m_ledger.checkpoint - before);
    const double nodes = speedOfNodes();
    const double shrunk = nodes < 1 ? lost * (1 - nodes) / (1 - rate) : 0;
    m_ledger.shrunk += shrunk;
    m_ledger.slow += lost - shrunk;
    m_now = until;
}

void Run::restartUntilClean()
{
    // Draws the failures of a restart from the same clocks: they continue while nothing trains.
    for (;;) {
        const double end = m_now + m_in.detection + m_in.restart, hit = std::min(m_nextSoft, m_nextNode);
        const double detected = std::min(m_in.detection, std::min(end, hit) - m_now);
        m_ledger.detection += detected;
        m_ledger.restart += std::min(end, hit) - m_now - detected;
        m_now = std::min(end, hit);
        if (hit >= end || givenUp())
            return;
        ++m_ledger.failures;
        ++m_ledger.interruptions;
        if (m_nextNode <= m_nextSoft) {
            m_nextNode = m_now + m_node.next(m_in.nodeFailureRate);
            loseNode();
        } else {
            m_nextSoft = m_now + m_soft.next(m_in.softFailureRate);
        }
    }
}

void Run::loseNode()
{
    returnNodes();
    m_repairs.push_back(m_now + m_in.repair);
    const int absent = static_cast<int>(m_repairs.size());
    if (absent <= m_in.spareNodes)
        return;
    const bool canShrink = m_in.shrinks && m_in.nodes - (absent - m_in.spareNodes) >= m_in.nodesPerReplica;
    if (canShrink) {
        m_missing = absent - m_in.spareNodes;
        return;
    }
    idle(nextRepair() - m_now, &RunLedger::waiting);
    returnNodes();
}

void Run::returnNodes()
{
    while (!m_repairs.empty() && m_repairs.front() <= m_now)
        m_repairs.erase(m_repairs.begin());
    m_missing = m_in.shrinks ? std::max(0, static_cast<int>(m_repairs.size()) - m_in.spareNodes) : 0;
}

void Run::failure(bool takesNode)
{
    ++m_ledger.failures;
    ++m_ledger.interruptions;
    m_progress.fail(m_now, m_ledger);
    if (takesNode) {
        m_nextNode = m_now + m_node.next(m_in.nodeFailureRate);
        loseNode();
    } else {
        m_nextSoft = m_now + m_soft.next(m_in.softFailureRate);
    }
    restartUntilClean();
}

void Run::beginSlow()
{
    const double length = m_in.slowLength > 0 ? m_length.next(1 / m_in.slowLength) : 0;
    const bool acts = m_in.slowMitigation > 0 && length > m_in.slowMitigation;
    const double end = m_now + (acts ? m_in.slowMitigation : length);
    if (end > m_slowUntil) {
        m_slowUntil = end;
        m_mitigated = acts;
    }
    m_nextSlow = m_now + m_slow.next(m_in.slowRate);
}

void Run::endSlow()
{
    m_slowUntil = -1;
    if (!m_mitigated)
        return;
    m_mitigated = false;
    m_progress.save();
    idle(m_in.block + m_in.restart, &RunLedger::slow); // moved out after a checkpoint: a restart, no lost work
}

void Run::plannedStop()
{
    ++m_ledger.interruptions;
    m_progress.save();
    idle(m_in.block + m_in.maintenanceLength + m_in.restart, &RunLedger::maintenance);
    m_nextStop = m_now + m_in.maintenanceEvery;
}

RunLedger Run::ledger()
{
    for (;;) {
        const double rate = speed();
        const double done = m_now + m_progress.untilDone(rate);
        const double slowEnd = m_slowUntil > m_now ? m_slowUntil : kNever, grow = m_missing > 0 ? nextRepair() : kNever;
        const double next = std::min({done, m_nextSoft, m_nextNode, m_nextSlow, slowEnd, m_nextStop, grow, m_in.longestSeconds});
        train(std::max(next, m_now));
        if (next == done || givenUp()) {
            m_ledger.finished = next == done && !givenUp();
            break;
        }
        if (next == m_nextSoft || next == m_nextNode)
            failure(next == m_nextNode);
        else if (next == m_nextSlow)
            beginSlow();
        else if (next == slowEnd)
            endSlow();
        else if (next == m_nextStop)
            plannedStop();
        else { // a node is back: the job grows again
            returnNodes();
            m_progress.save();
            idle(m_in.block + m_in.restart, &RunLedger::shrunk);
        }
    }
    m_ledger.wall = m_now;
    return m_ledger;
}

} // namespace

RunLedger sampledRun(const TimelineInputs& inputs, std::uint64_t seed, std::uint64_t run)
{
    return Run(inputs, seed, run).ledger();
}

} // namespace prism
