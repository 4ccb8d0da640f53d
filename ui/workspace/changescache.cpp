// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/changescache.h"

namespace prism::ui {

namespace {
constexpr std::size_t kEntries = 24;
}

const HeadlineChanges& ChangesCache::changes(const SnapshotPtr& baseline, const SnapshotPtr& scenario, bool within)
{
    for (auto it = m_entries.begin(); it != m_entries.end(); ++it)
        if (it->baseline == baseline && it->scenario == scenario && it->within == within) {
            m_entries.splice(m_entries.begin(), m_entries, it);
            return m_entries.front().changes;
        }
    m_entries.push_front({baseline, scenario, within, headlineChanges(*baseline, *scenario, within)});
    if (m_entries.size() > kEntries)
        m_entries.pop_back();
    return m_entries.front().changes;
}

} // namespace prism::ui
