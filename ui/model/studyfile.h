// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the open study on disk: every change is written soon after it was made, on a separate thread.
#pragma once

#include "ui/model/filestatus.h"
#include "ui/model/storedstudy.h"

#include <QObject>

#include <memory>
#include <optional>

namespace prism::ui {

/// A study that was read completely; nothing has been changed by that. StudyFile::adopt makes its file the window's.
struct ReadStudy {
    OpenedStudy content;
    std::unique_ptr<StoredStudy> file;
};
/// Waits for the disk. An error where there is no scenario that can be shown, or the file is damaged.
[[nodiscard]] Result<ReadStudy> readStudy(const QString& path, StudyAccess access = StudyAccess::readWrite);
[[nodiscard]] bool isDamaged(const Result<ReadStudy>& read);
/// The readable part of a damaged file and its backups, read-only. Waits up to a minute for a child process, which ends when `stop` is
/// requested. Any thread.
[[nodiscard]] Result<ReadStudy> salvageToRead(const QString& path, const std::stop_token& stop = {});

/// The file of a window, by the states of filestatus.h: each "change it" function that fails leaves file, path and status as they were.
/// GUI thread only; its writer thread owns the file. save() never waits for the disk, the others do. The writer thread also backs the file
/// up when no edit has come for some seconds, and before the file is closed; an edit or another function ends that, and closing waits for
/// at most half a second.
class StudyFile final : public QObject {
    Q_OBJECT
public:
    explicit StudyFile(QObject* parent = nullptr);
    ~StudyFile() override; ///< writes what is waiting, and backs it up

    // change it
    /// The file that was read is the window's now; the one before it is closed, and edits that it failed to write are dropped.
    [[nodiscard]] Result<OpenedStudy> adopt(ReadStudy read);
    /// A new file for another study. An existing file is an error.
    [[nodiscard]] Diagnostics create(const QString& path);
    /// Another study is shown, and it has no file for this reason.
    void showWithoutFile(const Diagnostics& reason);
    /// Another file is damaged and being read, or no longer.
    void setSalvaging(bool on);
    /// Everything that is in the file, and this state, into another file, which is replaced when it exists and is not locked; then
    /// that file is the one in use. Warnings name what the copy lacks.
    [[nodiscard]] Diagnostics saveAs(const QString& path, const StudyState& state, int currentId, const QJsonObject& view);
    /// Writes this state soon; only the last one given counts.
    void save(const StudyState& state, int currentId, const QJsonObject& view);
    /// Undoes (or redoes) in the file the last write that was made before the study was opened, and returns what it then contains; what was
    /// edited since is undone with it. Nothing: there is no such write, or the disk failed.
    [[nodiscard]] std::optional<OpenedStudy> stepStored(bool back);
    /// Waits until everything given to save was written; false when edits are not on disk.
    bool flush();

    // look at it
    [[nodiscard]] QString path() const { return m_path; } ///< empty: no file
    [[nodiscard]] FileStatus status() const { return m_status; }
    [[nodiscard]] bool canStepBack() const { return m_opened > 0 && ownsFile(m_status); }
    [[nodiscard]] bool canStepForward() const { return m_redoable && ownsFile(m_status); }
    [[nodiscard]] bool isReadOnly() const { return m_status == FileStatus::readOnly; }
    [[nodiscard]] bool isSaved() const { return m_status == FileStatus::saved; }
    [[nodiscard]] QString problem() const { return m_problem; } ///< why edits are not on disk; empty = they are, or will be

Q_SIGNALS:
    void savedChanged();

private:
    struct Writer;
    class Hold;
    void work(const std::stop_token& quit);
    void finishBackup();
    void take(std::unique_ptr<StoredStudy> file, const QString& path, FileEvent event, const QString& problem = {});
    void apply(FileEvent event, const QString& problem = {});
    void collect();
    std::unique_ptr<Writer> m_writer;
    QString m_path, m_problem;
    int m_opened = 0;        ///< undo steps of the file that were applied when it was opened, or after the last stepStored
    bool m_redoable = false; ///< stepStored went back, and nothing was edited since
    FileStatus m_status = FileStatus::empty;
};

} // namespace prism::ui
