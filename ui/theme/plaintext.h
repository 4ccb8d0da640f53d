// SPDX-License-Identifier: GPL-3.0-or-later
// Text is text: what comes from a file, a log or a name is never interpreted as markup, neither in labels nor in tips.
//
// Qt guesses: a label or tip whose text looks like HTML is laid out as such, and an <img> in it opens the file that it names.
// Labels of this application are made here, and tips are shown through the filter that Theme installs.
#pragma once

#include <QObject>
#include <QString>

class QLabel;
class QWidget;

namespace prism::ui {

/// A label that shows its text as it is; role and type as the style sheet reads them.
[[nodiscard]] QLabel* plainLabel(const QString& text = {}, const QString& role = {}, const QString& type = {});

/// The text for a place where Qt guesses: escaped where Qt would take it for markup, else unchanged.
[[nodiscard]] QString plainTip(const QString& text);

/// Shows the tips of every widget and of the cells of every table as plain text. Installed on the application, once.
class PlainTips final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace prism::ui
