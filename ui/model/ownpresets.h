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

/// Which part of a scenario a preset holds.
enum class OwnKind { gpu, fabric, price, spread };
inline constexpr OwnKind kOwnKinds[] = {OwnKind::gpu, OwnKind::fabric, OwnKind::price, OwnKind::spread};
[[nodiscard]] QString ownKindName(OwnKind kind);

struct OwnPreset {
    OwnKind kind = OwnKind::gpu;
    QString name;
    std::vector<std::pair<std::string, std::string>> values; ///< parameter id, text as setParameter reads it
    bool operator==(const OwnPreset&) const = default;
};

/// The part of a scenario under a name.
[[nodiscard]] OwnPreset ownPresetOf(const Scenario& scenario, OwnKind kind, const QString& name);
/// The scenario with the values of a preset. Errors: every value that its parameter does not take.
[[nodiscard]] Result<Scenario> withOwnPreset(const Scenario& scenario, const OwnPreset& preset);

/// The folder with the files; made when something is written there. GUI thread; waits for the disk.
class OwnPresets final {
public:
    /// "~/.local/share/…/presets" unless another folder is given.
    explicit OwnPresets(QString folder = {});

    // change it
    /// Writes a preset; one of the same kind and name is replaced. Errors: an empty name, a folder that cannot be written.
    [[nodiscard]] Diagnostics save(const OwnPreset& preset) const;
    void remove(const OwnPreset& preset) const;

    // look at it
    [[nodiscard]] const QString& folder() const { return m_folder; }
    /// All that can be read, by kind and name; `problems` gets a sentence for each file that cannot.
    [[nodiscard]] std::vector<OwnPreset> all(QStringList* problems = nullptr) const;

private:
    [[nodiscard]] QString pathOf(const OwnPreset& preset) const;
    QString m_folder;
};

} // namespace prism::ui
