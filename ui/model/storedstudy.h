// SPDX-License-Identifier: GPL-3.0-or-later
// A study file and which state of the window's study it contains: read completely, then updated with as few changes as possible.
#pragma once

#include "core/study/study.h"
#include "ui/model/studystate.h"

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <map>
#include <unordered_map>

namespace prism::ui {

/// The contents of a study file.
struct OpenedStudy {
    StudyState state;
    int currentId = -1;
    QJsonObject view; ///< pages, zoom, layout: as saved
    QString path;
    QString readOnlyReason; ///< one sentence; empty = writable, or opened for reading on request
    QStringList notes;      ///< migrated, newer, salvaged, scenarios that could not be read
};

/// One thread at a time.
class StoredStudy final {
public:
    explicit StoredStudy(Study open) : study(std::move(open)) {}
    /// Linear in the size of the file.
    [[nodiscard]] OpenedStudy read();
    /// Stores this state. After an error the next call tries again what is missing.
    [[nodiscard]] Diagnostics write(const StudyState& next, int currentId, QJsonObject view);

    Study study;
    StudyState written;            ///< the last state that was stored without an error
    std::map<int, ScenarioId> ids; ///< of the window's entries in the file

private:
    using Entries = std::unordered_map<int, const ScenarioEntry*>;
    [[nodiscard]] ScenarioId idOf(int entry) const;
    [[nodiscard]] Diagnostics writeEntry(const ScenarioEntry& e, const ScenarioEntry* old);
    [[nodiscard]] Diagnostics writeNames(const StudyState& next);
    [[nodiscard]] Diagnostics writeOrder(const StudyState& next);
};

} // namespace prism::ui
