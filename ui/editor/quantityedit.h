// A field for a number with a unit: keeps what was typed, says what is wrong, and steps with the arrow keys.
#pragma once

#include "ui/theme/theme.h"

#include <QLineEdit>

namespace prism::ui {

/// How the arrow keys change a value.
enum class StepKind { none, one, twice, digit }; ///< +-1; times or over 2; one in the second significant digit

/// GUI thread only. The field holds two texts: the value in use and what is typed. They differ while what is typed is wrong.
class QuantityEdit final : public QLineEdit {
    Q_OBJECT
public:
    explicit QuantityEdit(const Theme& theme, QWidget* parent = nullptr);

    // change it
    void setUnit(const QString& unit); ///< drawn at the right end
    void setStep(StepKind step) { m_step = step; }
    /// The value in use. Replaces what is typed unless the user is typing or what is typed is wrong.
    void setCommitted(const QString& text);
    /// Non-empty: what is typed is wrong, and why. The typed text stays.
    void setProblem(const QString& problem);
    void acceptFix(); ///< forgets what is typed: the value in use was replaced by a fix

    // look at it
    [[nodiscard]] QString committed() const { return m_committed; }
    [[nodiscard]] bool hasProblem() const { return !m_problem.isEmpty(); }

Q_SIGNALS:
    void submitted(const QString& text); ///< each change of the text by the user
    void editingDone();                  ///< focus left or Return: the next change is a step of its own

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void step(int direction, bool large);
    void submitTyped();
    void updateMargins();

    const Theme& m_theme;
    QString m_unit, m_committed, m_problem;
    StepKind m_step = StepKind::none;
    bool m_typing = false;
};

/// The value after one step, as text; the text itself where it holds no number. Units behind the number are kept.
[[nodiscard]] QString steppedText(const QString& text, StepKind kind, int direction, bool large);

} // namespace prism::ui
