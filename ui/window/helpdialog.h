// SPDX-License-Identifier: GPL-3.0-or-later
// Help: the pages of resources/help with their links, a search through all of them, and the row of one metric or parameter.
#pragma once

#include "ui/theme/theme.h"

#include <QDialog>

class QLineEdit;
class QListWidget;
class QTextBrowser;

namespace prism::ui {

/// A place in the help that holds the words of a search.
struct HelpHit {
    QString page, title, line; ///< "distribution", its first heading, the line that holds them
    int number = 0;            ///< of the line, from 0
};

/// Lines of all pages that hold every word, headings first, then in the order of the pages; at most `most`.
[[nodiscard]] QList<HelpHit> helpHits(const QString& words, int largest = 60);

/// GUI thread only.
class HelpDialog final : public QDialog {
    Q_OBJECT
public:
    HelpDialog(const Theme& theme, QWidget* parent);
    /// A page ("distribution", "distribution.md#anchor"), a parameter id, or "figure:KEY" of the table of metrics.
    void open(const QString& topic);
    void search(const QString& words);
    [[nodiscard]] QTextBrowser& browser() { return *m_browser; }
    [[nodiscard]] int hitCount() const;

private:
    void showPage(const QString& name);
    void goTo(const QString& text); ///< to its first place in the page
    QTextBrowser* m_browser;
    QLineEdit* m_query;
    QListWidget* m_hits;
};

} // namespace prism::ui
