// SPDX-License-Identifier: GPL-3.0-or-later
// The input of the explorer without a user: a study, or any file that the window imports; and a session that is not the user's.
#pragma once

#include "core/scenario/scenario.h"
#include "core/study/studytypes.h"

#include <QString>
#include <QTemporaryDir>

#include <optional>

namespace prism::ui {
class MainWindow;
}

namespace prism::explorer {

/// A separate session for a batch run: settings are never stored, and studies without a name go into a temporary folder. Once per
/// process, before the first QSettings and after the application was made.
class BatchSession final {
public:
    /// `hasFolder`: something is stored besides the study that was named.
    explicit BatchSession(bool hasFolder);

private:
    std::optional<QTemporaryDir> m_folder;
};

[[nodiscard]] QSize windowSize(const QString& text); ///< "1440x900"; at least 640 x 400
[[nodiscard]] bool isStudy(const QString& path);     ///< by its name
/// The scenario in a file of any kind that the window imports. A device, pipe or folder is an error.
[[nodiscard]] Result<Scenario> importedScenario(const QString& path);
/// Opens a study, or the sample study with the scenario of another file in it; empty = the sample study. The error for people, empty =
/// done.
[[nodiscard]] QString openForBatch(ui::MainWindow& window, const QString& path, StudyAccess access);

} // namespace prism::explorer
