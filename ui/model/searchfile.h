// SPDX-License-Identifier: GPL-3.0-or-later
// Checkpoint files of the window's searches, so that a stopped search can resume.
#pragma once

#include <QString>

#include <string>

namespace prism::ui {

/// One file per question in a folder of the user's; the oldest of more than kMaxSearches go. Any thread; waits for the disk.
class SearchFile final {
public:
    /// "~/.local/share/…/searches" unless another folder is given.
    explicit SearchFile(QString folder = {});

    /// Records that were kept under this question (a head line of core's records); empty where none were.
    [[nodiscard]] std::string read(const std::string& head) const;
    /// Keeps records; what cannot be written is computed again another time.
    void write(const std::string& head, const std::string& text) const;
    [[nodiscard]] const QString& folder() const { return m_folder; }

private:
    [[nodiscard]] QString pathOf(const std::string& head) const;
    QString m_folder;
};

inline constexpr int kMaxSearches = 20;

} // namespace prism::ui
