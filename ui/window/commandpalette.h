// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+K: finds a command, a parameter, a scenario or a page by a few letters.
#pragma once

#include "ui/theme/theme.h"

#include <QDialog>
#include <QList>

#include <functional>

class QLineEdit;
class QListWidget;

namespace prism::ui {

struct PaletteEntry {
    QString text, kind, shortcut, keywords;
    std::function<void()> run;
};

class CommandPalette final : public QDialog {
    Q_OBJECT
public:
    CommandPalette(const Theme& theme, QList<PaletteEntry> entries, QWidget* parent);
    [[nodiscard]] int shownCount() const;
    void setQuery(const QString& text);
    void runFirst();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter(const QString& text);
    void runCurrent();
    const Theme& m_theme;
    QList<PaletteEntry> m_entries;
    QLineEdit* m_query;
    QListWidget* m_list;
};

/// Score of a text for a query: 0 = no match; higher is better. Every word must occur.
[[nodiscard]] int paletteScore(const PaletteEntry& entry, const QString& query);

} // namespace prism::ui
