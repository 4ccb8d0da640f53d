// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of a schedule: items that a stage runs as one, such as DualPipe's forward & backward.
#pragma once

#include "core/schedule/schedule.h"

#include <cstddef>
#include <string>
#include <vector>

namespace prism {

/// One thing that a stage does. An item on its own waits for its input, runs, and sends its output. In a piece the inputs of all items
/// are waited for first, then they run, and then each sends its output, in their order.
struct PassStep {
    ScheduleItem item;
    bool waits = true, runs = true, handsOn = true;
    bool paired = false; ///< its piece holds a forward and a backward
};

/// The order of one stage as a sequence of steps: the order itself where no items are joined. Pure.
[[nodiscard]] std::vector<PassStep> passSteps(const std::vector<ScheduleItem>& order);

/// The same one by one, without a copy of an order in which nothing is joined. `order` must outlive it.
class StageSteps final {
public:
    explicit StageSteps(const std::vector<ScheduleItem>& order);
    [[nodiscard]] std::size_t size() const { return m_steps.empty() ? m_order->size() : m_steps.size(); }
    [[nodiscard]] PassStep operator[](std::size_t i) const { return m_steps.empty() ? PassStep{(*m_order)[i]} : m_steps[i]; }

private:
    const std::vector<ScheduleItem>* m_order;
    std::vector<PassStep> m_steps; ///< empty where nothing is joined
};

/// End of the piece that begins at `first`: one past its last item.
[[nodiscard]] std::size_t pieceEnd(const std::vector<ScheduleItem>& order, std::size_t first);

/// Whether the items [first, end) may be joined: a forward and a backward of another micro-batch or chunk, a backward and its own weight
/// item, or all three in this order.
[[nodiscard]] bool isPiece(const std::vector<ScheduleItem>& order, std::size_t first, std::size_t end);

/// Whether any stage runs a forward and a backward as one piece.
[[nodiscard]] bool pairsPasses(const Schedule& schedule);

} // namespace prism
