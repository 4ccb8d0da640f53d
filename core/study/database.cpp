// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/database.h"

#include "core/study/studylimits.h"
#include "core/study/studytypes.h"

#include <sqlite3.h>

#include <ctime>
#include <new>

namespace prism {

namespace {

// A text or blob above this is rejected by SQLite itself, regardless of the file (256 MiB of import compress below it).
constexpr int kMaxValueBytes = 256 << 20;
constexpr int kBusyMs = 5000;

std::int64_t nowNs(Deadline::Clock clock)
{
    timespec now{};
    clock_gettime(clock == Deadline::Clock::steady ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

void harden(sqlite3* db)
{
    sqlite3_extended_result_codes(db, 1);
    sqlite3_busy_timeout(db, kBusyMs);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, kMaxValueBytes);
    sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 100'000);
    sqlite3_limit(db, SQLITE_LIMIT_COLUMN, 64);
    sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 100);
    sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, 8);
    sqlite3_limit(db, SQLITE_LIMIT_VDBE_OP, 250'000);
    sqlite3_limit(db, SQLITE_LIMIT_FUNCTION_ARG, 8);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 2); // VACUUM INTO attaches its target
    sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
    sqlite3_limit(db, SQLITE_LIMIT_VARIABLE_NUMBER, 100);
    sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 8); // cascades of foreign keys count; triggers are off
    sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
}

} // namespace

void failSql(sqlite3* db, int code)
{
    const std::string text = db ? sqlite3_errmsg(db) : sqlite3_errstr(code);
    const std::string elsewhere = "save a copy elsewhere; what is shown is still complete";
    using namespace study_problem;
    if (code == SQLITE_READONLY_DBMOVED)
        failStudy(kChanged, "The study file was moved, replaced or removed while it was open.", text, elsewhere);
    switch (code & 0xff) {
    case SQLITE_FULL:
        failStudy(kDiskFull, "The disk is full: the last change is not in the file.", text,
                  "free some space and edit again, or save a copy elsewhere");
    case SQLITE_READONLY:
    case SQLITE_PERM:
        failStudy(kReadOnly, "The study file cannot be written.", text, elsewhere);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        failStudy(kInUse, "Another program is using the study file.", text, "close it there, or save a copy elsewhere");
    case SQLITE_CORRUPT:
    case SQLITE_FORMAT:
    case SQLITE_MISMATCH:
        failStudy(kDamaged, "The study file is damaged.", text, "`prism-cli study salvage` copies what can be read");
    case SQLITE_NOTADB:
        failStudy(kNotAStudy, "This is not a study file.", text, "a file made by PRISM Explorer (.prism)");
    case SQLITE_TOOBIG:
        failStudy(kTooLarge, "A value is larger than a study may hold.", text, "up to 256 MiB");
    case SQLITE_CONSTRAINT:
        failStudy(kInvalid, "The change does not fit the study.", text);
    case SQLITE_NOMEM:
        throw std::bad_alloc();
    case SQLITE_INTERRUPT:
        failStudy(kTooLarge, "Reading the study took too long and was stopped.", text);
    case SQLITE_ERROR: // wrong tables: a statement does not fit them
        failStudy(kDamaged, "The study file does not have the expected contents.", text,
                  "`prism-cli study salvage` copies what can be read");
    default:
        failStudy(kInputOutput, "The disk or network share reported an error: the last change may not be in the file.", text, elsewhere);
    }
}

Statement::Statement(sqlite3* db, std::string_view sql) : m_db(db)
{
    const int code = sqlite3_prepare_v2(db, sql.data(), static_cast<int>(sql.size()), &m_statement, nullptr);
    if (code != SQLITE_OK)
        failSql(db, code);
}

Statement::~Statement()
{
    sqlite3_finalize(m_statement);
}

Statement& Statement::bind(int index, std::int64_t value)
{
    sqlite3_bind_int64(m_statement, index, value);
    return *this;
}

Statement& Statement::bind(int index, std::string_view value)
{
    const int code = sqlite3_bind_text64(m_statement, index, value.data() ? value.data() : "", value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    if (code != SQLITE_OK)
        failSql(m_db, code);
    return *this;
}

Statement& Statement::bind(int index, SqlBlob value)
{
    const int code =
        sqlite3_bind_blob64(m_statement, index, value.bytes.data() ? value.bytes.data() : "", value.bytes.size(), SQLITE_TRANSIENT);
    if (code != SQLITE_OK)
        failSql(m_db, code);
    return *this;
}

Statement& Statement::bind(int index, const SqlValue& value)
{
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return bind(index, *integer);
    if (const auto* text = std::get_if<std::string>(&value))
        return bind(index, std::string_view(*text));
    return bindNull(index);
}

Statement& Statement::bind(int index, const Statement& row, int column)
{
    const int code = sqlite3_bind_value(m_statement, index, sqlite3_column_value(row.m_statement, column));
    if (code != SQLITE_OK)
        failSql(m_db, code);
    return *this;
}

Statement& Statement::bindNull(int index)
{
    sqlite3_bind_null(m_statement, index);
    return *this;
}

bool Statement::row()
{
    const int code = sqlite3_step(m_statement);
    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE)
        failSql(m_db, code);
    return false;
}

void Statement::run()
{
    while (row()) {
    }
    reset();
}

void Statement::reset()
{
    sqlite3_reset(m_statement);
    sqlite3_clear_bindings(m_statement);
}

bool Statement::isNull(int column) const
{
    return sqlite3_column_type(m_statement, column) == SQLITE_NULL;
}
std::int64_t Statement::integer(int column) const
{
    return sqlite3_column_int64(m_statement, column);
}

std::string_view Statement::view(int column) const
{
    const void* bytes = sqlite3_column_blob(m_statement, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column));
    return bytes ? std::string_view(static_cast<const char*>(bytes), size) : std::string_view();
}

std::size_t Statement::bytes(int column) const
{
    const int type = sqlite3_column_type(m_statement, column);
    return type == SQLITE_TEXT || type == SQLITE_BLOB ? static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column)) : 0;
}

std::string Statement::text(int column) const
{
    return std::string(view(column));
}

std::string Statement::text(int column, std::size_t maxBytes) const
{
    const std::string_view text = view(column);
    if (text.size() > maxBytes) {
        const char* file = sqlite3_db_filename(m_db, "main");
        failStudy(study_problem::kTooLarge, "A text of the study is longer than this program reads.",
                  (file ? std::string(file) + ": " : std::string()) + sqlite3_column_name(m_statement, column) + " of "
                      + std::to_string(text.size()) + " bytes",
                  "up to " + std::to_string(maxBytes) + " bytes; `prism-cli study salvage` copies it shortened");
    }
    return std::string(text);
}

SqlValue Statement::value(int column) const
{
    switch (sqlite3_column_type(m_statement, column)) {
    case SQLITE_NULL:
        return {};
    case SQLITE_INTEGER:
        return integer(column);
    default:
        return text(column);
    }
}

void Database::Closer::operator()(sqlite3* db) const
{
    sqlite3_close_v2(db);
}

Database::Database(const std::string& path, Mode mode, const std::string& vfs)
{
    sqlite3* db = nullptr;
    int flags = SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_EXRESCODE;
    flags |= mode == Mode::readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    if (mode == Mode::create)
        flags |= SQLITE_OPEN_CREATE;
    OpenFile file = OpenFile::at(path);
    const int code = sqlite3_open_v2(path.c_str(), &db, flags, strictVfs(vfs));
    m_db = std::unique_ptr<sqlite3, Closer>(db, Closer{std::move(file)});
    if (code != SQLITE_OK)
        failSql(db, code);
    harden(db);
    if (mode == Mode::salvage) {
        sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
        script("PRAGMA writable_schema = ON");
    }
    script("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000;");
}

void Database::script(const std::string& sql) const
{
    const int code = sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK)
        failSql(handle(), code);
}

bool Database::writable() const
{
    return sqlite3_db_readonly(handle(), "main") == 0;
}

std::string Database::path() const
{
    const char* file = sqlite3_db_filename(handle(), "main");
    return file ? file : "";
}

bool Database::moved() const
{
    int moved = 0;
    const int code = sqlite3_file_control(handle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return code == SQLITE_OK && moved != 0;
}

std::int64_t Database::lastId() const
{
    return sqlite3_last_insert_rowid(handle());
}

Transaction::Transaction(Database& db) : m_db(db)
{
    m_db.script("BEGIN IMMEDIATE");
}

Transaction::~Transaction()
{
    if (m_open && sqlite3_get_autocommit(m_db.handle()) == 0)
        sqlite3_exec(m_db.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit()
{
    m_db.script("COMMIT");
    m_open = false;
}

Deadline::Deadline(const Database& db, double seconds, Clock clock, std::stop_token stop)
    : m_db(db.handle()),
      m_clock(clock),
      m_endNs(seconds < 0 ? INT64_MAX : nowNs(clock) + static_cast<std::int64_t>(seconds * 1e9)),
      m_stop(std::move(stop))
{
    if (seconds >= 0 || m_stop.stop_possible())
        sqlite3_progress_handler(m_db, 1000, interrupt, this);
}

Deadline::~Deadline()
{
    sqlite3_progress_handler(m_db, 0, nullptr, nullptr);
}

int Deadline::interrupt(void* self)
{
    return static_cast<const Deadline*>(self)->passed() ? 1 : 0;
}

bool Deadline::passed() const
{
    return m_stop.stop_requested() || (m_endNs != INT64_MAX && nowNs(m_clock) >= m_endNs);
}

void ListBudget::take(std::size_t bytes)
{
    m_taken += bytes;
    if (m_taken > kMaxListBytes)
        failStudy(study_problem::kTooLarge, "The study has a longer list than this program reads.", m_db.path(),
                  "up to " + std::to_string(kMaxListBytes >> 20) + " MiB of imports, revisions or undo steps");
}

} // namespace prism
