// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/filestatus.h"

namespace prism::ui {

namespace {

using enum FileStatus;

constexpr FileStatus kNext[kFileStatuses][kFileEvents] = {
    //               opened, openedReadOnly, createFailed, edited, written, writeFailed, salvageStarted, salvageEnded
    /* empty     */ {saved, readOnly, noFile, noFile, empty, empty, salvaging, empty},
    /* salvaging */ {saved, readOnly, noFile, noFile, salvaging, salvaging, salvaging, empty},
    /* noFile    */ {saved, readOnly, noFile, noFile, noFile, noFile, noFile, noFile},
    /* saved     */ {saved, readOnly, noFile, saving, saved, failed, saved, saved},
    /* saving    */ {saved, readOnly, noFile, saving, saved, failed, saving, saving},
    /* failed    */ {saved, readOnly, noFile, failed, saved, failed, failed, failed}, // an edit is a retry: unsaved until it is written
    /* readOnly  */ {saved, readOnly, noFile, readOnly, readOnly, readOnly, readOnly, readOnly},
};

} // namespace

FileStatus nextStatus(FileStatus status, FileEvent event)
{
    return kNext[static_cast<int>(status)][static_cast<int>(event)];
}

} // namespace prism::ui
