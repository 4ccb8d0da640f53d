// SPDX-License-Identifier: GPL-3.0-or-later
// Shown by a page that waits for a file: a place to drop it, a button to open one, a sample, and a description of the result.
#pragma once

#include "ui/theme/theme.h"

#include <QFrame>

class QLabel;
class QPushButton;

namespace prism::ui {

/// The texts of a drop zone.
struct DropZoneText {
    QString title;     ///< "Drop a training log here"
    QString formats;   ///< which files are read
    QString open;      ///< of the button that chooses a file
    QString sample;    ///< what the sample is, for its tip; empty = there is none
    QStringList steps; ///< what happens, in order
};

/// A card with a dashed frame. The window takes the file: a drop works anywhere. GUI thread only.
class DropZone final : public QFrame {
    Q_OBJECT
public:
    DropZone(const Theme& theme, const DropZoneText& text, QWidget* parent = nullptr);
    void setProblem(const QString& sentence); ///< why the last file was not read; empty = none
    [[nodiscard]] QPushButton& sample() { return *m_sample; }

Q_SIGNALS:
    void openRequested();
    void sampleRequested();

private:
    QLabel* m_problem;
    QPushButton* m_sample;
};

} // namespace prism::ui
