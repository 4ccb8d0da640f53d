// SPDX-License-Identifier: GPL-3.0-or-later
// Two charts next to each other, or one under the other where there is no room for both.
#pragma once

#include <QWidget>

class QBoxLayout;

namespace prism::ui {

/// GUI thread only.
class TwoColumns final : public QWidget {
    Q_OBJECT
public:
    struct Part {
        QWidget* widget = nullptr;
        int share = 1; ///< of the room
    };
    TwoColumns(Part first, Part second, int spacing, QWidget* parent = nullptr);

    /// As narrow as the wider of the two.
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QBoxLayout* m_layout;
    QWidget *m_first, *m_second;
};

} // namespace prism::ui
