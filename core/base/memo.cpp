// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/memo.h"

namespace prism {

std::shared_ptr<const void> Memo::findAny(ContentHash key)
{
    const std::lock_guard lock(m_mutex);
    const auto it = m_index.find(key);
    if (it == m_index.end())
        return nullptr;
    m_entries.splice(m_entries.begin(), m_entries, it->second);
    return it->second->value;
}

void Memo::keepAny(ContentHash key, std::shared_ptr<const void> value, std::size_t bytes)
{
    const std::lock_guard lock(m_mutex);
    if (bytes > m_maxBytes || m_index.contains(key))
        return;
    m_entries.push_front({key, std::move(value), bytes});
    m_index[key] = m_entries.begin();
    m_bytes += bytes;
    while (m_bytes > m_maxBytes) {
        m_bytes -= m_entries.back().bytes;
        m_index.erase(m_entries.back().key);
        m_entries.pop_back();
    }
}

std::size_t Memo::bytes() const
{
    const std::lock_guard lock(m_mutex);
    return m_bytes;
}

void Memo::clear()
{
    const std::lock_guard lock(m_mutex);
    m_entries.clear();
    m_index.clear();
    m_bytes = 0;
}

} // namespace prism
