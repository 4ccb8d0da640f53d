// SPDX-License-Identifier: GPL-3.0-or-later
// Results of pure functions under the content hash of their inputs, bounded in bytes, least recently used out first.
#pragma once

#include "core/base/hash.h"

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace prism {

/// Any thread. Two threads that miss the same key both compute; the results are equal, and the first one is stored.
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

/// One evaluation's access to a memo: nodes of the evaluation graph are found or stored here, and the names of computed ones are
/// recorded. The key of a node starts with its name, so that one key never means two types. One thread.
class Recall final {
public:
    explicit Recall(Memo& memo) : m_memo(memo) {}

    /// The node, or null when it has to be computed.
    template <class T>
    [[nodiscard]] std::shared_ptr<const T> find(ContentHash key)
    {
        ++m_totalNodes;
        return m_memo.find<T>(key);
    }
    template <class T>
    std::shared_ptr<const T> keep(const char* name, ContentHash key, T value, std::size_t bytes)
    {
        auto made = std::make_shared<const T>(std::move(value));
        m_recomputed.emplace_back(name);
        m_memo.keep<T>(key, made, bytes);
        return made;
    }
    /// Finds the node or computes and keeps it; `bytes` takes the value.
    template <class T, class Compute, class Bytes>
    std::shared_ptr<const T> node(const char* name, ContentHash key, const Compute& compute, const Bytes& bytes)
    {
        if (auto known = find<T>(key))
            return known;
        T value = compute();
        const std::size_t size = bytes(value);
        return keep<T>(name, key, std::move(value), size);
    }

    /// Counts what a function below recalled on its own.
    void add(int totalNodes, const std::vector<std::string>& recomputed)
    {
        m_totalNodes += totalNodes;
        m_recomputed.insert(m_recomputed.end(), recomputed.begin(), recomputed.end());
    }

    [[nodiscard]] int totalNodes() const { return m_totalNodes; }
    [[nodiscard]] Memo& memo() const { return m_memo; }
    /// Names of the computed nodes, in order.
    [[nodiscard]] const std::vector<std::string>& recomputed() const { return m_recomputed; }

private:
    Memo& m_memo; ///< outlives this
    int m_totalNodes = 0;
    std::vector<std::string> m_recomputed;
};

} // namespace prism
