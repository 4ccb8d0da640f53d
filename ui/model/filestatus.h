// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the window owns a file, may write to it, and has every edit on disk: one state machine with a table of transitions.
#pragma once

namespace prism::ui {

enum class FileStatus {
    empty,     ///< no study, no file
    salvaging, ///< the same, while a damaged file is read to be shown
    noFile,    ///< a study without a file: every edit is on screen only
    saved,     ///< the file is owned, every edit is on disk
    saving,    ///< the file is owned, edits wait or are being written
    failed,    ///< the file is owned, the last write failed: edits are on screen only
    readOnly,  ///< the file is shown and never written; no edit is accepted
};
inline constexpr int kFileStatuses = 7;

enum class FileEvent {
    opened,         ///< a file that may be written is the window's now
    openedReadOnly, ///< a file that may not be written is the window's now
    createFailed,   ///< another study is on screen, and no file could be made for it
    edited,         ///< the study or its view changed
    written,        ///< the last edit is on disk
    writeFailed,
    salvageStarted, ///< another file is damaged and is being read; a study on screen keeps its own file and status
    salvageEnded,   ///< it was read (opened follows), nothing of it could be read, or the user cancelled
};
inline constexpr int kFileEvents = 8;

[[nodiscard]] FileStatus nextStatus(FileStatus status, FileEvent event);
/// The file is locked by this window and takes its edits.
[[nodiscard]] constexpr bool ownsFile(FileStatus status)
{
    return status == FileStatus::saved || status == FileStatus::saving || status == FileStatus::failed;
}
/// Edits exist that are not on disk and are not on their way there.
[[nodiscard]] constexpr bool isUnsaved(FileStatus status)
{
    return status == FileStatus::noFile || status == FileStatus::failed;
}

} // namespace prism::ui
