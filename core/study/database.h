// SPDX-License-Identifier: GPL-3.0-or-later
// SQLite wrapper: connections hardened for untrusted files, statements, transactions. Internal to core/study.
#pragma once

#include "core/study/openfile.h"
#include "core/study/studyerror.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

struct sqlite3;
struct sqlite3_stmt;

namespace prism {

using SqlValue = std::variant<std::monostate, std::int64_t, std::string>;

/// A blob argument of a statement.
struct SqlBlob {
    std::string_view bytes;
};

/// One prepared statement. `row()` steps.
class Statement final {
public:
    Statement(sqlite3* db, std::string_view sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    Statement& bind(int index, std::int64_t value);
    Statement& bind(int index, std::string_view value);
    Statement& bind(int index, const std::string& value) { return bind(index, std::string_view(value)); }
    Statement& bind(int index, SqlBlob value);
    Statement& bind(int index, const SqlValue& value);
    /// A cell of another statement's row, with its type.
    Statement& bind(int index, const Statement& row, int column);
    Statement& bindNull(int index);
    /// Steps; true while there is a row.
    bool row();
    /// Steps to the end and makes it ready for the next set of arguments.
    void run();
    void reset();

    [[nodiscard]] bool isNull(int column) const;
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] std::string text(int column) const; ///< of text and blobs
    /// The same; beyond `maxBytes` it throws kTooLarge with the file before it is copied.
    [[nodiscard]] std::string text(int column, std::size_t maxBytes) const;
    /// Without a copy; valid until the next step.
    [[nodiscard]] std::string_view view(int column) const;
    [[nodiscard]] std::size_t bytes(int column) const; ///< of a text or blob; 0 of a number
    [[nodiscard]] SqlValue value(int column) const;

private:
    sqlite3* m_db;
    sqlite3_stmt* m_statement = nullptr;
};

/// One connection. Not for two threads at once.
class Database final {
public:
    enum class Mode {
        create,
        readWrite,
        readOnly,
        salvage ///< a private copy of a damaged file: neither a schema that does not parse nor a file that is cut off hides its tables
    };
    Database() = default;
    /// Opens with limits, defensive mode, no triggers, no views, untrusted schema and foreign keys. `path` may be ":memory:".
    Database(const std::string& path, Mode mode, const std::string& vfs);

    explicit operator bool() const { return m_db != nullptr; }
    [[nodiscard]] sqlite3* handle() const { return m_db.get(); }
    template <class... Args>
    void run(std::string_view sql, const Args&... args)
    {
        Statement statement(handle(), sql);
        bindAll(statement, args...);
        while (statement.row()) {
        }
    }
    /// The first column of the first row, 0 without rows.
    template <class... Args>
    [[nodiscard]] std::int64_t integer(std::string_view sql, const Args&... args) const
    {
        Statement statement(handle(), sql);
        bindAll(statement, args...);
        return statement.row() ? statement.integer(0) : 0;
    }
    /// Several statements without arguments.
    void script(const std::string& sql) const;
    [[nodiscard]] bool writable() const;
    [[nodiscard]] std::string path() const; ///< of the file; empty in memory
    /// Whether the file at the path is no longer the one that was opened.
    [[nodiscard]] bool moved() const;
    [[nodiscard]] std::int64_t lastId() const;
    void close() { m_db.reset(); }

    template <class... Args>
    static void bindAll(Statement& statement, const Args&... args)
    {
        [[maybe_unused]] int index = 0;
        (statement.bind(++index, args), ...);
    }

private:
    struct Closer {
        OpenFile file; ///< let go after the connection
        void operator()(sqlite3* db) const;
    };
    std::unique_ptr<sqlite3, Closer> m_db;
};

/// BEGIN IMMEDIATE ... COMMIT; rolls back unless committed.
class Transaction final {
public:
    explicit Transaction(Database& db);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

private:
    Database& m_db;
    bool m_open = true;
};

/// Raises StudyError for an SQLite result code, with a message for people.
[[noreturn]] void failSql(sqlite3* db, int code);

/// Interrupts the statements of a connection after a time, of the clock or of the calling thread's processor (a negative budget: never),
/// and when a stop is requested.
class Deadline final {
public:
    enum class Clock { steady, processor };
    Deadline(const Database& db, double seconds, Clock clock = Clock::steady, std::stop_token stop = {});
    ~Deadline();
    Deadline(const Deadline&) = delete;
    Deadline& operator=(const Deadline&) = delete;
    [[nodiscard]] bool passed() const;

private:
    static int interrupt(void* self);
    sqlite3* m_db;
    Clock m_clock;
    std::int64_t m_endNs;
    std::stop_token m_stop;
};

/// Bounds the memory of a list that is read from a file: throws kTooLarge with the file when its rows need more than kMaxListBytes.
class ListBudget final {
public:
    explicit ListBudget(const Database& db) : m_db(db) {}
    void take(std::size_t bytes);

private:
    const Database& m_db;
    std::size_t m_taken = 0;
};

/// The name of a VFS over `base` (empty = the system's) for sqlite3_open_v2. SQLite fills a short read with zeros and carries on.
/// That is right at the end of a file; inside the file it would turn a failing disk or share into a damaged
/// page that the next edit writes back. Here such a read is an error. Any thread; null when the base is unknown.
[[nodiscard]] const char* strictVfs(const std::string& base);

} // namespace prism
