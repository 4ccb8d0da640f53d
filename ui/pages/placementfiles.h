// SPDX-License-Identifier: GPL-3.0-or-later
// The files of the Placement page: measured speeds in, a hostfile out.
#pragma once

#include "core/scenario/scenario.h"

#include <QString>

namespace prism::ui {

/// A scenario with the speeds of a file.
struct SpeedImport {
    Scenario scenario;
    std::vector<std::string> hosts; ///< name of each node
    QString recognised;             ///< one sentence on what the file holds
    QString problem;                ///< why there is none; empty = it was read
};
[[nodiscard]] SpeedImport readSpeeds(const QString& path, const Scenario& scenario);
/// Nodes in the order of their positions, named by `hosts`; what went wrong as a sentence, empty = written.
[[nodiscard]] QString writeNodes(const QString& path, const std::vector<int>& order, const std::vector<std::string>& hosts,
                                 int gpusPerNode);

} // namespace prism::ui
