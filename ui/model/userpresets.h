// SPDX-License-Identifier: GPL-3.0-or-later
// A user's own GPUs, fabrics, prices and spreads: named sets of parameter values, one small file each in a folder of the user's.
#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"

#include <QString>
#include <QStringList>

#include <utility>
#include <vector>

namespace prism::ui {

/// The part of a scenario that a preset holds.
enum class OwnKind { gpu, fabric, price, spread };
inline constexpr OwnKind kOwnKinds[] = {OwnKind::gpu, OwnKind::fabric, OwnKind::price, OwnKind::spread};
[[nodiscard]] QString ownKindName(OwnKind kind);

struct UserPreset {
    OwnKind kind = OwnKind::gpu;
    QString name;
    std::vector<std::pair<std::string, std::string>> values; ///< parameter id, text as setParameter reads it
    bool operator==(const UserPreset&) const = default;
};

/// The part of a scenario under a name.
[[nodiscard]] UserPreset userPresetOf(const Scenario& scenario, OwnKind kind, const QString& name);
/// The scenario with the values of a preset. Errors: every value that its parameter does not take.
[[nodiscard]] Result<Scenario> withUserPreset(const Scenario& scenario, const UserPreset& preset);

/// The folder with the files; made when something is written there. GUI thread; waits for the disk.
class UserPresets final {
public:
    /// "~/.local/share/…/presets" unless another folder is given.
    explicit UserPresets(QString folder = {});

    // change it
    /// Writes a preset; one of the same kind and name is replaced. Errors: an empty name, a folder that cannot be written.
    [[nodiscard]] Diagnostics save(const UserPreset& preset) const;
    void remove(const UserPreset& preset) const;

    // look at it
    [[nodiscard]] const QString& folder() const { return m_folder; }
    /// All that can be read, by kind and name; `problems` gets a sentence for each file that cannot.
    [[nodiscard]] std::vector<UserPreset> all(QStringList* problems = nullptr) const;

private:
    [[nodiscard]] QString pathOf(const UserPreset& preset) const;
    QString m_folder;
};

} // namespace prism::ui
