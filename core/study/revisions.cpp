// SPDX-License-Identifier: GPL-3.0-or-later
// The texts of revisions. A section of a scenario that is long (measured tables, pools) is cut out, compressed and stored once
// however many revisions have it; the rest stays plain text that any SQLite program shows.
#include "core/study/compress.h"
#include "core/study/impl.h"

namespace prism {

using namespace study_problem;

namespace {

constexpr std::size_t kLongValueBytes = 4096;

/// The end of the JSON string that begins at `i`, or npos.
std::size_t stringEnd(std::string_view json, std::size_t i)
{
    for (++i; i < json.size(); ++i) {
        if (json[i] == '\\')
            ++i;
        else if (json[i] == '"')
            return i + 1;
    }
    return std::string_view::npos;
}

} // namespace

std::vector<std::pair<std::size_t, std::size_t>> longValues(std::string_view json, std::size_t minimum)
{
    std::vector<std::pair<std::size_t, std::size_t>> spans;
    int depth = 0;
    std::size_t valueBegin = std::string_view::npos;
    const auto endValue = [&](std::size_t end) {
        if (valueBegin != std::string_view::npos && end - valueBegin > minimum)
            spans.emplace_back(valueBegin, end);
        valueBegin = std::string_view::npos;
    };
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (c == '"') {
            const std::size_t end = stringEnd(json, i);
            if (end == std::string_view::npos)
                return {};
            i = end - 1;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            if (depth == 1)
                endValue(i);
            if (--depth < 0)
                return {};
        } else if (c == ',' && depth == 1) {
            endValue(i);
        } else if (c == ':' && depth == 1) {
            valueBegin = i + 1;
        }
    }
    return depth == 0 ? spans : std::vector<std::pair<std::size_t, std::size_t>>{};
}

std::int64_t Study::Impl::addPart(std::string_view bytes)
{
    if (bytes.size() > static_cast<std::size_t>(kMaxRawBytes))
        failStudy(kTooLarge, "The imported data are larger than a study may hold.", std::to_string(bytes.size()) + " bytes",
                  "up to 256 MiB");
    const std::int64_t key = contentKey(bytes);
    {
        Statement same(db.handle(), "SELECT id FROM part WHERE hash = ?1 AND raw_bytes = ?2");
        same.bind(1, key).bind(2, static_cast<std::int64_t>(bytes.size()));
        while (same.row())
            if (partBytes(same.integer(0)) == bytes)
                return same.integer(0);
    }
    const std::string data = compressBytes(bytes);
    db.run("INSERT INTO part (hash, raw_bytes, data) VALUES (?1, ?2, ?3)", key, static_cast<std::int64_t>(bytes.size()), SqlBlob{data});
    return db.lastId();
}

std::string Study::Impl::partBytes(std::int64_t id) const
{
    Statement part(db.handle(), "SELECT raw_bytes, data FROM part WHERE id = ?1");
    part.bind(1, id);
    if (!part.row())
        failStudy(kDamaged, "Imported data are missing from the study file.", "part " + std::to_string(id));
    return expandBytes(part.text(1), part.integer(0));
}

std::int64_t Study::Impl::addRevision(std::int64_t scenario, std::int64_t timeMs, const std::string& label, const std::string& json)
{
    db.run("INSERT INTO revision (scenario, time_ms, label, json) VALUES (?1, ?2, ?3, '')", scenario, timeMs, label);
    const std::int64_t id = db.lastId();
    setRevisionText(id, json);
    return id;
}

void Study::Impl::setRevisionText(std::int64_t revision, const std::string& json)
{
    if (json.size() > kMaxScenarioBytes)
        failStudy(kTooLarge, "The scenario is larger than a study may hold.", std::to_string(json.size()) + " bytes", "up to 64 MiB");
    db.run("DELETE FROM revision_part WHERE revision = ?1", revision);
    std::string rest;
    std::size_t from = 0;
    for (const auto& [begin, end] : longValues(json, kLongValueBytes)) {
        rest.append(json, from, begin - from);
        const std::int64_t part = addPart(std::string_view(json).substr(begin, end - begin));
        db.run("INSERT INTO revision_part (revision, at, part) VALUES (?1, ?2, ?3)", revision, static_cast<std::int64_t>(begin), part);
        from = end;
    }
    rest.append(json, from);
    db.run("UPDATE revision SET json = ?1 WHERE id = ?2", rest, revision);
}

RevisionReader::RevisionReader(const Database& db)
    : m_file(db.path()),
      m_text(db.handle(), "SELECT json FROM revision WHERE id = ?1"),
      m_parts(db.handle(), "SELECT r.at, r.part, p.raw_bytes, p.data FROM revision_part AS r LEFT JOIN part AS p ON p.id = r.part "
                           "WHERE r.revision = ?1 ORDER BY r.at")
{
}

const std::string& RevisionReader::part(std::int64_t id)
{
    if (m_partId != id) {
        if (m_parts.isNull(3))
            failStudy(kDamaged, "Imported data are missing from the study file.", "part " + std::to_string(id));
        m_partId = 0;
        m_partBytes = expandBytes(m_parts.view(3), m_parts.integer(2));
        m_partId = id;
    }
    return m_partBytes;
}

std::string RevisionReader::read(std::int64_t revision, bool outline)
{
    const std::string where = m_file + (m_file.empty() ? "" : ": ") + "revision " + std::to_string(revision),
                      salvage = "`prism-cli study salvage` copies what can be read";
    m_text.reset();
    m_text.bind(1, revision);
    if (!m_text.row())
        failStudy(kDamaged, "The text of a scenario is missing from the study file.", where, salvage);
    const std::string rest = m_text.text(0, kMaxScenarioBytes);
    m_text.reset();
    m_parts.reset();
    m_parts.bind(1, revision);
    std::string json;
    std::size_t from = 0, size = 0, parts = 0; // taken from `rest`; of the whole text so far
    while (m_parts.row()) {
        const std::int64_t at = m_parts.integer(0), bytes = m_parts.integer(2);
        if (++parts > kMaxRevisionParts)
            failStudy(kTooLarge, "A scenario consists of more sections than this program reads.", where,
                      "up to " + std::to_string(kMaxRevisionParts));
        const std::size_t gap = static_cast<std::size_t>(at) - size;
        if (at < static_cast<std::int64_t>(size) || gap > rest.size() - from || bytes < 0
            || size + gap + static_cast<std::size_t>(bytes) > kMaxScenarioBytes)
            failStudy(kDamaged, "The text of a scenario does not fit together.", where, salvage);
        json.append(rest, from, gap).append(outline ? "0" : part(m_parts.integer(1)));
        from += gap;
        size += gap + static_cast<std::size_t>(bytes);
    }
    m_parts.reset();
    if (parts == 0)
        return rest;
    if (size + rest.size() - from > kMaxScenarioBytes)
        failStudy(kDamaged, "The text of a scenario does not fit together.", where, salvage);
    return json.append(rest, from);
}

std::string Study::Impl::revisionText(std::int64_t revision) const
{
    return RevisionReader(db).text(revision);
}

Result<std::vector<StudyRevision>> Study::revisions(ScenarioId id) const
{
    const std::lock_guard guard(m_impl->mutex);
    return attemptFor<std::vector<StudyRevision>>([&] {
        std::vector<StudyRevision> revisions;
        Statement rows(m_impl->db.handle(), "SELECT id, scenario, time_ms, label FROM revision WHERE scenario = ?1 ORDER BY id");
        rows.bind(1, id.value);
        ListBudget budget(m_impl->db);
        while (rows.row()) {
            revisions.push_back({{rows.integer(0)}, {rows.integer(1)}, rows.integer(2), rows.text(3, kMaxTextBytesListed)});
            budget.take(sizeof(StudyRevision) + revisions.back().label.size());
        }
        return revisions;
    });
}

Result<std::string> Study::revisionJson(RevisionId id) const
{
    const std::lock_guard guard(m_impl->mutex);
    return attemptFor<std::string>([&] { return m_impl->revisionText(id.value); });
}

} // namespace prism
