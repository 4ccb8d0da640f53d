// SPDX-License-Identifier: GPL-3.0-or-later
// A row of choices of which one is in force: "p50 | p95 | p99".
#pragma once

#include "ui/theme/theme.h"

#include <QWidget>

class QAbstractButton;
class QButtonGroup;
class QHBoxLayout;

namespace prism::ui {

/// Buttons joined into one control; arrow keys move, each has an accessible name. GUI thread.
class SegmentedControl final : public QWidget {
    Q_OBJECT
public:
    explicit SegmentedControl(const Theme& theme, QWidget* parent = nullptr);

    // change it
    /// Replaces the choices; keeps the current index where it still exists. Emits nothing.
    void setChoices(const QStringList& labels);
    void setLabel(int index, const QString& label);
    void setCurrent(int index);

    // look at it
    [[nodiscard]] int current() const;
    [[nodiscard]] int count() const;
    [[nodiscard]] QString label(int index) const;

Q_SIGNALS:
    /// The user chose another one (not sent by setCurrent).
    void chosen(int index);

private:
    const Theme& m_theme;
    QButtonGroup* m_group;
    QHBoxLayout* m_layout;
};

} // namespace prism::ui
