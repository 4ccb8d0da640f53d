// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz/structure.h"

#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace prism::fuzz {
namespace {

std::size_t below(std::mt19937_64& random, std::size_t n)
{
    return n == 0 ? 0 : static_cast<std::size_t>(random() % n);
}

// SQLite's file format: https://www.sqlite.org/fileformat2.html; section numbers below are those of that page.

std::size_t read16(const std::string& bytes, std::size_t at)
{
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])) << 8 | static_cast<unsigned char>(bytes[at + 1]);
}

void write(std::string& bytes, std::size_t at, std::uint64_t value, std::size_t width)
{
    for (std::size_t i = 0; i < width && at + i < bytes.size(); ++i)
        bytes[at + i] = static_cast<char>(value >> (8 * (width - 1 - i)));
}

/// One page of a SQLite file with at least one whole page.
struct Page {
    std::size_t start, size, header; ///< bytes; the b-tree header of the first page follows the file header of 100 bytes (1.3)
};

void mutateCells(std::string& bytes, const Page& page, std::mt19937_64& random)
{
    const std::size_t kind = static_cast<unsigned char>(bytes[page.header]);
    const std::size_t pointers = page.header + (kind == 2 || kind == 5 ? 12 : 8); // 1.6: interior pages have a right-most pointer
    const std::size_t cells = std::min(read16(bytes, page.header + 3), (page.start + page.size - pointers) / 2);
    if (cells == 0)
        return;
    const std::size_t chosen = pointers + 2 * below(random, cells);
    const std::size_t value = read16(bytes, pointers + 2 * below(random, cells));
    const std::size_t cell = page.start + std::min(read16(bytes, chosen), page.size - 1);
    switch (below(random, 4)) {
    case 0: // two pointers to one cell
        return write(bytes, chosen, value, 2);
    case 1: // all pointers to one cell
        for (std::size_t i = 0; i < cells; ++i)
            write(bytes, pointers + 2 * i, value, 2);
        return;
    case 2: // a payload size of 2 to 8 bytes as a varint (1.6)
        return write(bytes, cell, random() | 0x8080808080808000ULL, 2 + below(random, 7));
    default: // a serial type of the record (2.1)
        return write(bytes, std::min(cell + 2 + below(random, 12), bytes.size() - 1), random(), 1);
    }
}

void mutatePage(std::string& bytes, std::mt19937_64& random)
{
    const std::size_t stored = read16(bytes, 16), size = stored == 1 ? 65'536 : stored; // 1.3.2
    if (size < 512 || (size & (size - 1)) != 0 || bytes.size() < size)
        return;
    const std::size_t pages = bytes.size() / size, index = below(random, pages), other = below(random, pages);
    const Page page{index * size, size, index * size + (index == 0 ? 100 : 0)};
    switch (below(random, 5)) {
    case 0: // a field of the file header
        return write(bytes, 18 + below(random, 78), random() >> below(random, 64), 1 + below(random, 4));
    case 1: // a field of the page header
        return write(bytes, page.header + below(random, 12), random(), 1 + below(random, 2));
    case 2: // the same page twice
        std::memmove(bytes.data() + page.start, bytes.data() + other * size, size);
        return;
    case 3: // the next page of an overflow chain (1.6) or of the free list (1.5), or a child: circles are likely
        return write(bytes, page.start + (below(random, 2) == 0 ? 0 : 4 * below(random, size / 4)), 1 + other, 4);
    default:
        return mutateCells(bytes, page, random);
    }
}

struct Connection {
    sqlite3* handle = nullptr;
    Connection() { sqlite3_open(":memory:", &handle); }
    ~Connection() { sqlite3_close(handle); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// First column of all rows; errors end the list.
    [[nodiscard]] std::vector<std::string> column(const std::string& sql) const
    {
        std::vector<std::string> values;
        sqlite3_stmt* statement = nullptr;
        if (sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK)
            while (values.size() < 10'000 && sqlite3_step(statement) == SQLITE_ROW)
                if (const unsigned char* text = sqlite3_column_text(statement, 0))
                    values.emplace_back(reinterpret_cast<const char*>(text));
        sqlite3_finalize(statement);
        return values;
    }
    void run(const std::string& sql) const { (void)sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr); }
};

std::string rowChange(const Connection& db, std::mt19937_64& random)
{
    const auto tables = db.column("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
    if (tables.empty())
        return {};
    const std::string& table = tables[below(random, tables.size())];
    const auto columns = db.column("SELECT name FROM pragma_table_info('" + table + "')");
    const auto counted = db.column("SELECT count(*) FROM " + table);
    if (columns.empty() || counted.empty())
        return {};
    const auto rows = static_cast<std::size_t>(std::stoll(counted.front()));
    const std::string& column = columns[below(random, columns.size())];
    const auto rowid = [&] { return "(SELECT rowid FROM " + table + " LIMIT 1 OFFSET " + std::to_string(below(random, rows)) + ")"; };
    const std::array<std::string, 10> values{"NULL",
                                             "0",
                                             "-1",
                                             "9223372036854775807",
                                             "1e308",
                                             "''",
                                             "zeroblob(" + std::to_string(below(random, 5'000)) + ")",
                                             "CAST(x'ff1b5b324a00' AS TEXT)",
                                             "(SELECT " + column + " FROM " + table + " WHERE rowid = " + rowid() + ")",
                                             "rowid"};
    switch (below(random, 6)) {
    case 0:
        return "DELETE FROM " + table + " WHERE rowid = " + rowid();
    case 1: { // a row once more, under another key
        std::string list, source;
        for (const std::string& name : columns) {
            list += (list.empty() ? "" : ",") + name;
            source += (source.empty() ? "" : ",") + (name == "id" ? "NULL" : name);
        }
        return "INSERT INTO " + table + "(" + list + ") SELECT " + source + " FROM " + table + " WHERE rowid = " + rowid();
    }
    case 2: {
        constexpr std::array<const char*, 4> kSchemas{"CREATE TRIGGER t AFTER UPDATE ON scenario BEGIN DELETE FROM revision; END",
                                                      "CREATE VIEW v AS SELECT * FROM v", "DROP INDEX IF EXISTS revision_by_scenario",
                                                      "CREATE TABLE extra (a DEFAULT (randomblob(1000000)))"};
        return kSchemas[below(random, kSchemas.size())];
    }
    default:
        return "UPDATE OR IGNORE " + table + " SET " + column + " = " + values[below(random, values.size())] + " WHERE rowid = " + rowid();
    }
}

std::string mutateRow(std::string bytes, std::mt19937_64& random)
{
    const Connection db;
    constexpr unsigned kOwned = SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE;
    auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(bytes.size()));
    std::memcpy(copy, bytes.data(), bytes.size());
    const auto size = static_cast<sqlite3_int64>(bytes.size());
    if (sqlite3_deserialize(db.handle, "main", copy, size, size, kOwned) != SQLITE_OK)
        return bytes;
    db.run("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;");
    if (const std::string sql = rowChange(db, random); !sql.empty())
        db.run(sql);
    sqlite3_int64 length = 0;
    unsigned char* changed = sqlite3_serialize(db.handle, "main", &length, 0);
    if (changed != nullptr)
        bytes.assign(reinterpret_cast<const char*>(changed), static_cast<std::size_t>(length));
    sqlite3_free(changed);
    return bytes;
}

using Json = nlohmann::ordered_json;

/// All values of a document, the document itself first; at most 4,000.
std::vector<Json*> valuesOf(Json& document)
{
    std::vector<Json*> values{&document};
    for (std::size_t i = 0; i < values.size() && values.size() < 4'000; ++i)
        if (values[i]->is_structured())
            for (Json& child : *values[i])
                values.push_back(&child);
    return values;
}

Json extreme(std::mt19937_64& random)
{
    const std::array<Json, 12> values{0,  -1,      1,         1e308,         1e-308,         std::int64_t{1} << 40,
                                      "", nullptr, "\x1b[2J", Json::array(), Json::object(), true};
    return values[below(random, values.size())];
}

void mutateValue(Json& value, const Json& other, std::mt19937_64& random)
{
    switch (below(random, 7)) {
    case 0:
        value = extreme(random);
        return;
    case 1:
        value = other;
        return;
    case 2: // deeper
        for (std::size_t i = below(random, 300); i > 0; --i)
            value = Json::array({std::move(value)});
        return;
    case 3: // fewer children
        if (value.is_array() && !value.empty())
            value.erase(below(random, value.size()));
        else if (value.is_object() && !value.empty())
            value.erase(std::next(value.begin(), static_cast<std::ptrdiff_t>(below(random, value.size()))));
        return;
    case 4: // more children
        if (value.is_array())
            for (std::size_t i = below(random, 100); i > 0; --i)
                value.push_back(other);
        else if (value.is_object())
            value["key" + std::to_string(below(random, 10))] = other;
        return;
    default: // another number of the same kind
        if (value.is_number_integer())
            value = value.get<std::int64_t>() / 2 * static_cast<std::int64_t>(below(random, 6));
        else if (value.is_number())
            value = value.get<double>() * std::array{-1.0, 0.5, 2.0, 1e3, 1e9}[below(random, 5)];
        return;
    }
}

} // namespace

std::string mutateStudy(std::string bytes, std::mt19937_64& random)
{
    if (bytes.size() < 512 || !bytes.starts_with("SQLite format 3"))
        return bytes;
    if (below(random, 2) == 0)
        return mutateRow(std::move(bytes), random);
    mutatePage(bytes, random);
    return bytes;
}

std::string mutateJson(std::string text, std::mt19937_64& random)
{
    Json document = Json::parse(text, nullptr, false);
    if (document.is_discarded())
        return text;
    const std::vector<Json*> values = valuesOf(document);
    Json& value = *values[below(random, values.size())];
    const Json other = *values[below(random, values.size())];
    mutateValue(value, other, random);
    return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace prism::fuzz
