#include "ui/editor/quantityedit.h"

#include "ui/theme/icons.h"

#include <QFocusEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QRegularExpression>

#include <cmath>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

QString steppedText(const QString& text, StepKind kind, int direction, bool large)
{
    static const QRegularExpression number(uR"(^\s*([-+]?[0-9][0-9,]*\.?[0-9]*(?:[eE][-+]?[0-9]+)?|\.[0-9]+)(.*)$)"_s);
    const QRegularExpressionMatch match = number.match(text);
    bool ok = false;
    const double value = match.captured(1).remove(u',').toDouble(&ok);
    if (!ok || kind == StepKind::none)
        return text;
    double next = value;
    if (kind == StepKind::one) {
        next += direction * (large ? 10 : 1);
    } else if (kind == StepKind::twice) {
        const double factor = large ? 4 : 2;
        next = direction > 0 ? value * factor : value / factor;
        if (direction < 0 && next < 1)
            next = value;
    } else {
        const double size = value == 0 ? 0.1 : std::pow(10.0, std::floor(std::log10(std::abs(value))) - 1);
        next += direction * size * (large ? 10 : 1);
    }
    return QString::number(next, 'g', 12) + match.captured(2);
}

QuantityEdit::QuantityEdit(const Theme& theme, QWidget* parent) : QLineEdit(parent), m_theme(theme)
{
    setFocusPolicy(Qt::StrongFocus); // not by the wheel
    connect(this, &QLineEdit::textEdited, this, [this] { submitTyped(); });
    connect(this, &QLineEdit::returnPressed, this, [this] {
        if (!hasProblem()) {
            m_typing = false;
            setText(m_committed);
            selectAll();
        }
        Q_EMIT editingDone();
    });
    connect(&theme, &Theme::changed, this, &QuantityEdit::updateMargins);
}

void QuantityEdit::setUnit(const QString& unit)
{
    m_unit = unit;
    updateMargins();
}

void QuantityEdit::updateMargins()
{
    const int width = m_unit.isEmpty() ? 0 : QFontMetrics(m_theme.font(Type::body)).horizontalAdvance(m_unit) + m_theme.px(8);
    setTextMargins(0, 0, hasProblem() ? m_theme.px(20) : width, 0);
    update();
}

void QuantityEdit::setCommitted(const QString& text)
{
    m_committed = text;
    if (!m_typing && !hasProblem() && this->text() != text)
        setText(text);
}

void QuantityEdit::setProblem(const QString& problem)
{
    if (problem == m_problem)
        return;
    const bool changes = problem.isEmpty() != m_problem.isEmpty();
    m_problem = problem;
    setAccessibleDescription(problem);
    if (!changes)
        return;
    setProperty("state", problem.isEmpty() ? QVariant() : QVariant(u"error"_s));
    restyle(this);
    updateMargins();
}

void QuantityEdit::acceptFix()
{
    m_typing = false;
    setProblem({});
    setText(m_committed);
}

void QuantityEdit::submitTyped()
{
    m_typing = true;
    Q_EMIT submitted(text());
}

void QuantityEdit::step(int direction, bool large)
{
    const QString next = steppedText(text(), m_step, direction, large);
    if (next == text())
        return;
    setText(next);
    submitTyped();
}

void QuantityEdit::keyPressEvent(QKeyEvent* event)
{
    const bool large = event->modifiers() & Qt::ShiftModifier;
    switch (event->key()) {
    case Qt::Key_Up:
        step(1, large);
        return;
    case Qt::Key_Down:
        step(-1, large);
        return;
    case Qt::Key_PageUp:
        step(1, true);
        return;
    case Qt::Key_PageDown:
        step(-1, true);
        return;
    case Qt::Key_Escape:
        if (text() != m_committed || hasProblem()) {
            acceptFix();
            Q_EMIT submitted(m_committed);
            selectAll();
            return;
        }
        break;
    default:
        break;
    }
    QLineEdit::keyPressEvent(event);
}

void QuantityEdit::focusOutEvent(QFocusEvent* event)
{
    QLineEdit::focusOutEvent(event);
    if (event->reason() == Qt::PopupFocusReason)
        return;
    m_typing = false;
    if (!hasProblem() && text() != m_committed)
        setText(m_committed);
    Q_EMIT editingDone();
}

void QuantityEdit::wheelEvent(QWheelEvent* event)
{
    event->ignore(); // the wheel scrolls the form and never edits
}

void QuantityEdit::paintEvent(QPaintEvent* event)
{
    QLineEdit::paintEvent(event);
    QPainter p(this);
    if (hasProblem()) {
        const int size = m_theme.px(14);
        icon(Icon::error, m_theme.look(), Role::error).paint(&p, QRect(width() - size - m_theme.px(7), (height() - size) / 2, size, size));
        return;
    }
    if (m_unit.isEmpty())
        return;
    p.setFont(m_theme.font(Type::body));
    p.setPen(m_theme.color(Role::textSecondary));
    p.drawText(rect().adjusted(0, 0, -m_theme.px(9), 0), Qt::AlignVCenter | Qt::AlignRight, m_unit);
}

} // namespace prism::ui
