// SPDX-License-Identifier: GPL-3.0-or-later
// An insight as a page shows it: its answer on the level of the headline, as long as the answer is about the steps that are shown.
#pragma once

#include "ui/pages/insightslot.h"

#include "core/engine/evaluator.h"

#include <QList>

#include <optional>

namespace prism::ui {

/// GUI thread only. Made again when the answer is another, or when the headline has more steps.
template <class R>
class Levelled final {
public:
    /// The answer of a slot as it is to be shown; null where there is none. `known`: the steps of the headline whose level it takes;
    /// `about`: whether the answer is about their scenarios. `levelOf(answer, about)` makes the result.
    template <class LevelOf>
    const R* of(const InsightSlot<R>& slot, const QList<SnapshotPtr>& known, bool about, LevelOf levelOf)
    {
        const R* answer = slot.value();
        if (!answer) {
            m_levelled.reset();
            return nullptr;
        }
        const bool another = !m_levelled || !(m_token == slot.shown());
        if (another || (about && known != m_known)) {
            m_levelled = levelOf(*answer, about);
            m_token = slot.shown();
            m_known = about ? known : QList<SnapshotPtr>();
            ++m_version;
        }
        return &*m_levelled;
    }
    /// Another number for each answer that was made.
    [[nodiscard]] int version() const { return m_version; }

private:
    std::optional<R> m_levelled;
    ResultToken m_token;
    QList<SnapshotPtr> m_known;
    int m_version = 0;
};

} // namespace prism::ui
