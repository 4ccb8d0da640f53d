// SPDX-License-Identifier: GPL-3.0-or-later
// A combo box that leaves the wheel to the form around it, and signals which choice the pointer or the arrow keys preview in its open list.
#pragma once

#include <QComboBox>

namespace prism::ui {

/// GUI thread only.
class ChoiceBox final : public QComboBox {
    Q_OBJECT
public:
    explicit ChoiceBox(QWidget* parent = nullptr);

Q_SIGNALS:
    void tried(int index); ///< a choice of the open list is looked at
    void closed();         ///< the list was closed, with or without a choice

protected:
    void wheelEvent(QWheelEvent* event) override;
    void hidePopup() override;
};

} // namespace prism::ui
