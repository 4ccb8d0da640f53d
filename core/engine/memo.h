// Results of pure functions under the content hash of their inputs, bounded in bytes, least recently used out first.
#pragma once

#include "core/base/hash.h"

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>

namespace prism {

/// Any thread. Two threads that miss the same key both compute; the results are equal, the first one stays.
class Memo final {
public:
    explicit Memo(std::size_t maxBytes) : m_maxBytes(maxBytes) {}

    template <class T>
    [[nodiscard]] std::shared_ptr<const T> find(ContentHash key)
    {
        return std::static_pointer_cast<const T>(findAny(key));
    }
    /// Keeps a value; `bytes` is its size including what it owns. Values larger than the bound are not kept.
    template <class T>
    void keep(ContentHash key, std::shared_ptr<const T> value, std::size_t bytes)
    {
        keepAny(key, std::static_pointer_cast<const void>(std::move(value)), bytes);
    }
    [[nodiscard]] std::size_t bytes() const;
    void clear();

private:
    struct Entry {
        ContentHash key;
        std::shared_ptr<const void> value;
        std::size_t bytes = 0;
    };
    std::shared_ptr<const void> findAny(ContentHash key);
    void keepAny(ContentHash key, std::shared_ptr<const void> value, std::size_t bytes);

    mutable std::mutex m_mutex;
    std::size_t m_maxBytes, m_bytes = 0;
    std::list<Entry> m_entries; ///< most recently used first
    std::map<ContentHash, std::list<Entry>::iterator> m_index;
};

} // namespace prism
