// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the open study on disk: every change is written soon after it was made, on a thread of its own.
#pragma once

#include "core/base/result.h"
#include "ui/model/studystate.h"

#include <QJsonObject>
#include <QObject>
#include <QString>

#include <memory>

namespace prism::ui {

/// What a study file held.
struct OpenedStudy {
    StudyState state;
    int currentId = -1;
    QJsonObject view; ///< pages, zoom, layout: as saved
    QString path;
    QString readOnlyReason; ///< one sentence; empty = writable
    QStringList notes;      ///< migrated, newer, salvaged, scenarios that could not be read
};

/// GUI thread only; its writer thread owns the file. Opening waits for the disk (start and File > Open); saving never does.
class StudyFile final : public QObject {
    Q_OBJECT
public:
    explicit StudyFile(QObject* parent = nullptr);
    ~StudyFile() override; ///< writes what is waiting

    // change it
    /// Opens a study; the file before it is written and closed. A damaged file is read as far as possible, into memory.
    [[nodiscard]] Result<OpenedStudy> open(const QString& path);
    /// Starts a file for a study that has none. An existing file there is replaced.
    [[nodiscard]] Diagnostics create(const QString& path);
    /// Everything that is in the file, and the state last given to save, into another file; then goes on there.
    [[nodiscard]] Diagnostics saveAs(const QString& path, const StudyState& state, int currentId, const QJsonObject& view);
    /// Writes this state soon; only the last one given counts.
    void save(const StudyState& state, int currentId, const QJsonObject& view);
    /// Waits until everything given to save was written; false when that did not go well.
    bool flush();

    // look at it
    [[nodiscard]] QString path() const { return m_path; }
    [[nodiscard]] bool isReadOnly() const { return m_readOnly; }
    [[nodiscard]] bool isSaved() const { return m_saved; }      ///< nothing waits and the last write went well
    [[nodiscard]] QString problem() const { return m_problem; } ///< of the last write; empty = none

Q_SIGNALS:
    void savedChanged();

private:
    struct Writer;
    void report(const Diagnostics& errors, bool idle);
    std::unique_ptr<Writer> m_writer;
    QString m_path, m_problem;
    bool m_readOnly = false, m_saved = true;
};

} // namespace prism::ui
