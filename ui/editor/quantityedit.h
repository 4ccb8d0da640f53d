// SPDX-License-Identifier: GPL-3.0-or-later
// A field for a number with a unit: keeps what was typed, shows what is invalid, and steps with the arrow keys.
#pragma once

#include "ui/theme/theme.h"

#include <QLineEdit>
#include <QTimer>

namespace prism::ui {

/// How the arrow keys change a value.
enum class StepKind { none, one, twice, digit }; ///< +-1; times or over 2; one in the second significant digit

/// A pause in typing after which what was typed is taken; Return, leaving the field and the arrow keys take it at once.
inline constexpr int kTypingPauseMs = 250;

/// GUI thread only. A view of one value: the field shows the value in use, or a draft of the user. A draft is text that was not
/// taken yet, that is wrong (and marked so), or that means the value in use in other words ("4e3" for "4,000"). Another value in
/// use replaces any draft.
class QuantityEdit final : public QLineEdit {
    Q_OBJECT
public:
    explicit QuantityEdit(const Theme& theme, QWidget* parent = nullptr);

    // change it
    void setUnit(const QString& unit); ///< drawn at the right end
    void setStep(StepKind step) { m_step = step; }
    /// The value in use. A value other than the previous one replaces the text of the field.
    void setCommitted(const QString& text);
    /// The value in use is now this one, because what is typed means it: the typed text stays until Return or the field is left.
    void accept(const QString& text);
    /// Non-empty: what is typed is wrong, and why. The typed text stays.
    void setProblem(const QString& problem);
    void discardTyped(); ///< shows the value in use
    void submitNow();    ///< takes what is typed without waiting for the pause

    // look at it
    [[nodiscard]] QSize minimumSizeHint() const override; ///< wide enough for the text without its unit
    [[nodiscard]] QString committed() const { return m_committed; }
    [[nodiscard]] bool hasProblem() const { return !m_problem.isEmpty(); }
    [[nodiscard]] bool isPending() const { return m_pause.isActive(); } ///< typed text was not submitted yet

Q_SIGNALS:
    void submitted(const QString& text); ///< the user means this value
    void editingDone();                  ///< focus left or Return: the next change is a separate step

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void step(int direction, bool large);
    void finish();        ///< submits, shows the value in use, and ends the merging of keystrokes
    void updateMargins(); ///< room for the unit, or for the mark of a problem; a unit gives way to the digits

    const Theme& m_theme;
    QString m_unit, m_committed, m_problem;
    StepKind m_step = StepKind::none;
    bool m_unitFits = true;
    QTimer m_pause; ///< runs while typed text waits to be submitted
};

/// The value after one step, as text; the text itself where it holds no number. Units behind the number are kept.
[[nodiscard]] QString steppedText(const QString& text, StepKind kind, int direction, bool large);

} // namespace prism::ui
