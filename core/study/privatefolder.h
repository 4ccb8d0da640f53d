// SPDX-License-Identifier: GPL-3.0-or-later
// A private folder in the temporary folder, for copies of files. Internal to core/study.
#pragma once

#include <string>

namespace prism {

/// A folder that only this user reads, gone with the object. It is locked (flock) meanwhile: what a killed program left is not, and goes
/// with the next such folder. Throws StudyError where it cannot be made.
class PrivateFolder final {
public:
    PrivateFolder();
    ~PrivateFolder();
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;
    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    std::string m_path;
    int m_descriptor = -1;
};

} // namespace prism
