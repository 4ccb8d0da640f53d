// SPDX-License-Identifier: GPL-3.0-or-later
// A label and its field in one row: the label has its column, and gives way where the field needs the room.
#pragma once

#include "ui/theme/theme.h"

#include <QWidget>

class QLabel;

namespace prism::ui {

/// GUI thread only. Every row of a form has its labels at the same width; a field that is too narrow for its value takes from its label,
/// which wraps.
class FieldLine final : public QWidget {
public:
    FieldLine(const Theme& theme, QLabel* label, QWidget* field, QWidget* parent = nullptr);
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;

private:
    void fit();

    const Theme& m_theme;
    QLabel* m_label;
    QWidget* m_field;
};

} // namespace prism::ui
