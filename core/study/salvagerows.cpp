// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/salvagerows.h"

#include <algorithm>
#include <limits>

namespace prism {

namespace {

using Id = std::int64_t;
constexpr Id kFirst = std::numeric_limits<Id>::min() + 1, kLast = std::numeric_limits<Id>::max() - 1;
constexpr int kMaxLooks = 20'000;
constexpr Id kBehind = 4096; ///< ids that are looked through behind the last row that was found
constexpr Id kMaxLeap = Id{1} << 40;

class RowReader final {
public:
    RowReader(Database& db, const std::string& select, const Deadline& deadline, const std::function<void(const Statement&)>& use)
        : m_up(db.handle(), select + " WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid"),
          m_down(db.handle(), select + " WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid DESC"),
          m_deadline(deadline),
          m_use(use)
    {
    }

    bool read()
    {
        const Run up = run(m_up, kFirst, kLast);
        if (up.whole)
            return true;
        const Id from = up.any ? up.last + 1 : 1;
        const Run down = run(m_down, from, kLast);
        if (!down.whole)
            down.any ? between(from, down.last - 1) : behind(from);
        return false;
    }

private:
    struct Run {
        bool whole = false, any = false; ///< came to the end of the range; found a row
        Id last = 0;
    };

    Run run(Statement& rows, Id from, Id to)
    {
        Run run;
        rows.reset();
        rows.bind(1, from).bind(2, to);
        for (bool more = true; more && !m_deadline.passed();) {
            if (!attempt([&] { more = rows.row(); }).empty())
                break;
            const Id id = more ? rows.integer(0) : 0;
            if (more && run.any && (&rows == &m_up ? id <= run.last : id >= run.last)) // a circle of pages
                break;
            run.whole = !more;
            if (more) {
                run.any = true;
                run.last = id;
                m_use(rows);
            }
        }
        rows.reset();
        return run;
    }

    /// Where the end of the table cannot be read either: leaps that double look for rows behind the damage.
    void behind(Id from)
    {
        Id last = from + std::min(kBehind, kLast - from);
        for (Id leap = 1; leap < kMaxLeap && leap <= kLast - last; leap *= 2)
            if (const Run up = run(m_up, last + leap, kLast); up.any) {
                between(from, last + leap - 1);
                last = up.last;
                from = last + 1;
                leap = 1;
            }
        between(from, from + std::min(kBehind, kLast - from));
    }

    void between(Id from, Id to)
    {
        if (from > to || ++m_looks > kMaxLooks || m_deadline.passed())
            return;
        const Id middle = from + (to - from) / 2;
        const Run up = run(m_up, middle, to), down = run(m_down, from, middle - 1);
        if (!down.whole)
            between(from, down.any ? down.last - 1 : middle - 2);
        if (!up.whole)
            between(up.any ? up.last + 1 : middle + 1, to);
    }

    Statement m_up, m_down;
    const Deadline& m_deadline;
    const std::function<void(const Statement&)>& m_use;
    int m_looks = 0;
};

} // namespace

bool readRows(Database& db, const std::string& table, const std::string& columns, const Deadline& deadline,
              const std::function<void(const Statement&)>& use)
{
    std::unique_ptr<RowReader> reader;
    const std::string select = "SELECT rowid, " + columns + " FROM " + table + " NOT INDEXED";
    return attempt([&] { reader = std::make_unique<RowReader>(db, select, deadline, use); }).empty() && reader->read();
}

} // namespace prism
