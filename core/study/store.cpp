// SPDX-License-Identifier: GPL-3.0-or-later
// What a study stores besides scenarios: view state, imports, results.
#include "core/study/compress.h"
#include "core/study/impl.h"

#include <bit>

namespace prism {

using namespace study_problem;

namespace {

constexpr std::size_t kMaxFieldBytes = 1000;
constexpr std::size_t kListedImportBytes = 1000; ///< of one import where it is listed with its properties

void checkFields(std::initializer_list<const std::string*> fields)
{
    for (const std::string* field : fields)
        if (field->size() > kMaxFieldBytes)
            failStudy(kTooLarge, "A name is too long.", std::to_string(field->size()) + " bytes", "up to 1,000 bytes");
}

std::int64_t asSigned(std::uint64_t value)
{
    return std::bit_cast<std::int64_t>(value);
}

/// Oldest use first, until what is stored fits.
void evictResults(Database& db, std::int64_t limit, std::int64_t keep)
{
    std::int64_t stored = db.integer("SELECT coalesce(sum(length(data)), 0) FROM result");
    if (stored <= limit)
        return;
    std::vector<std::int64_t> victims;
    Statement rows(db.handle(), "SELECT id, length(data) FROM result WHERE id <> ?1 ORDER BY used, id");
    rows.bind(1, keep);
    while (stored > limit && rows.row()) {
        victims.push_back(rows.integer(0));
        stored -= rows.integer(1);
    }
    rows.reset();
    for (const std::int64_t id : victims)
        db.run("DELETE FROM result WHERE id = ?1", id);
}

} // namespace

Diagnostics Study::setViewState(const std::string& name, const std::string& json)
{
    const std::lock_guard guard(m_impl->mutex);
    return m_impl->write([&] {
        checkFields({&name});
        if (json.size() > kMaxViewStateBytes)
            failStudy(kTooLarge, "The view state is too large.", std::to_string(json.size()) + " bytes", "up to 4 MiB");
        m_impl->db.run("INSERT INTO view_state (name, json) VALUES (?1, ?2) "
                       "ON CONFLICT (name) DO UPDATE SET json = excluded.json",
                       name, json);
    });
}

Result<std::string> Study::viewState(const std::string& name) const
{
    const std::lock_guard guard(m_impl->mutex);
    return attemptFor<std::string>([&] {
        Statement row(m_impl->db.handle(), "SELECT json FROM view_state WHERE name = ?1");
        row.bind(1, name);
        return row.row() ? row.text(0, kMaxViewStateBytes) : std::string();
    });
}

Result<AttachmentId> Study::addAttachment(StudyAttachment attachment, const std::string& bytes)
{
    const std::lock_guard guard(m_impl->mutex);
    Impl& impl = *m_impl;
    std::int64_t id = 0;
    Diagnostics problem = impl.write([&] {
        // A study is mailed: where the file lay on this machine stays here.
        attachment.source.erase(0, attachment.source.find_last_of("/\\") + 1);
        checkFields({&attachment.kind, &attachment.name, &attachment.source});
        if (attachment.scenario.value != 0)
            impl.need(attachment.scenario);
        const std::int64_t part = impl.addPart(bytes);
        const SqlValue owner = attachment.scenario.value == 0 ? SqlValue{} : SqlValue{attachment.scenario.value};
        impl.db.run("INSERT INTO attachment (scenario, kind, name, source, time_ms, part) VALUES (?1, ?2, ?3, ?4, ?5, ?6)", owner,
                    attachment.kind, attachment.name, attachment.source, attachment.timeMs ? attachment.timeMs : impl.now(), part);
        id = impl.db.lastId();
    });
    if (!problem.empty())
        return problem;
    return AttachmentId{id};
}

Diagnostics Study::removeAttachment(AttachmentId id)
{
    const std::lock_guard guard(m_impl->mutex);
    return m_impl->write([&] { m_impl->db.run("DELETE FROM attachment WHERE id = ?1", id.value); });
}

Result<std::vector<StudyAttachment>> Study::attachments() const
{
    const std::lock_guard guard(m_impl->mutex);
    return attemptFor<std::vector<StudyAttachment>>([&] {
        std::vector<StudyAttachment> attachments;
        Statement rows(m_impl->db.handle(),
                       "SELECT a.id, a.scenario, a.kind, a.name, a.source, a.time_ms, p.raw_bytes FROM attachment AS a "
                       "LEFT JOIN part AS p ON p.id = a.part ORDER BY a.id");
        ListBudget budget(m_impl->db);
        while (rows.row()) {
            const auto text = [&](int column) { return rows.text(column, kMaxTextBytesListed); };
            attachments.push_back({{rows.integer(0)}, {rows.integer(1)}, text(2), text(3), text(4), rows.integer(5), rows.integer(6)});
            const StudyAttachment& a = attachments.back();
            budget.take(kListedImportBytes + a.kind.size() + a.name.size() + a.source.size());
        }
        return attachments;
    });
}

Result<std::string> Study::attachmentBytes(AttachmentId id) const
{
    const std::lock_guard guard(m_impl->mutex);
    return attemptFor<std::string>([&] {
        Statement row(m_impl->db.handle(), "SELECT part FROM attachment WHERE id = ?1");
        row.bind(1, id.value);
        if (!row.row())
            failStudy(kInvalid, "There is no such import in the study.", std::to_string(id.value));
        return m_impl->partBytes(row.integer(0));
    });
}

Diagnostics Study::putResult(ContentHash hash, const std::string& kind, const ResultProvenance& provenance, const std::string& bytes)
{
    const std::lock_guard guard(m_impl->mutex);
    Impl& impl = *m_impl;
    const std::string data = compressBytes(bytes);
    if (data.size() > impl.options.resultCacheBytes / 4)
        return {};
    return impl.write([&] {
        checkFields({&kind, &provenance.engineVersion});
        std::int64_t uses = impl.db.integer("SELECT min(coalesce(max(used), 0), 1 << 60) FROM result");
        for (const auto& [id, order] : impl.resultUses)
            impl.db.run("UPDATE result SET used = ?1 WHERE id = ?2", uses + order, id);
        uses += impl.uses + 1;
        impl.db.run("DELETE FROM result WHERE hash = ?1 AND kind = ?2 AND engine_version = ?3 AND seed = ?4", asSigned(hash.value), kind,
                    provenance.engineVersion, asSigned(provenance.seed));
        impl.db.run("INSERT INTO result (hash, kind, engine_version, seed, samples, time_ms, used, raw_bytes, data) "
                    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                    asSigned(hash.value), kind, provenance.engineVersion, asSigned(provenance.seed), provenance.samples, impl.now(), uses,
                    static_cast<std::int64_t>(bytes.size()), SqlBlob{data});
        evictResults(impl.db, static_cast<std::int64_t>(impl.options.resultCacheBytes), impl.db.lastId());
        impl.resultUses.clear();
        impl.uses = 0;
    });
}

Result<std::optional<StoredResult>> Study::result(ContentHash hash, const std::string& kind, const std::string& engineVersion,
                                                  std::uint64_t seed) const
{
    const std::lock_guard guard(m_impl->mutex);
    return attemptFor<std::optional<StoredResult>>([&]() -> std::optional<StoredResult> {
        Statement row(m_impl->db.handle(), "SELECT id, samples, time_ms, raw_bytes, data FROM result "
                                           "WHERE hash = ?1 AND kind = ?2 AND engine_version = ?3 AND seed = ?4");
        row.bind(1, asSigned(hash.value)).bind(2, kind).bind(3, engineVersion);
        row.bind(4, asSigned(seed));
        if (!row.row())
            return std::nullopt;
        m_impl->resultUses[row.integer(0)] = ++m_impl->uses;
        return StoredResult{{engineVersion, seed, row.integer(1)}, row.integer(2), expandBytes(row.text(4), row.integer(3))};
    });
}

Result<std::int64_t> Study::storedResultBytes() const
{
    const std::lock_guard guard(m_impl->mutex);
    return attemptFor<std::int64_t>([&] { return m_impl->db.integer("SELECT coalesce(sum(length(data)), 0) FROM result"); });
}

} // namespace prism
