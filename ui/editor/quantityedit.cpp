// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/quantityedit.h"

#include "ui/theme/fieldwidth.h"
#include "ui/theme/icons.h"

#include <QFocusEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {
constexpr double kMark = 20, kMaxWidth = 160; // pixels at scale 1: of the mark of a problem; the widest that a field asks to be
}

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
    setAcceptDrops(false);           // a file that is dropped here is the window's
    m_pause.setSingleShot(true);
    m_pause.setInterval(kTypingPauseMs);
    connect(&m_pause, &QTimer::timeout, this, [this] { Q_EMIT submitted(text()); });
    connect(this, &QLineEdit::textEdited, &m_pause, qOverload<>(&QTimer::start));
    connect(this, &QLineEdit::returnPressed, this, [this] {
        finish();
        if (!hasProblem())
            selectAll();
    });
    connect(this, &QLineEdit::textChanged, this, [this] {
        updateMargins();
        updateGeometry();
    });
    connect(&theme, &Theme::changed, this, &QuantityEdit::updateMargins);
}

void QuantityEdit::setUnit(const QString& unit)
{
    m_unit = unit;
    updateMargins();
}

QSize QuantityEdit::minimumSizeHint() const
{
    const int mark = hasProblem() ? m_theme.px(kMark) : 0;
    return {std::min(fieldWidthFor(text(), m_theme) + mark, m_theme.px(kMaxWidth)), QLineEdit::minimumSizeHint().height()};
}

void QuantityEdit::resizeEvent(QResizeEvent* event)
{
    QLineEdit::resizeEvent(event);
    updateMargins();
}

void QuantityEdit::updateMargins()
{
    const int wide = m_unit.isEmpty() ? 0 : QFontMetrics(m_theme.font(Type::body)).horizontalAdvance(m_unit) + m_theme.px(8);
    m_unitFits = wide > 0 && !hasProblem() && fieldWidthFor(text(), m_theme) + wide <= std::max(width(), minimumWidth());
    setTextMargins(0, 0, hasProblem() ? m_theme.px(kMark) : m_unitFits ? wide : 0, 0);
    update();
}

void QuantityEdit::setCommitted(const QString& text)
{
    if (text == m_committed && (isPending() || hasProblem() || hasFocus()))
        return; // a draft of the same value stays
    m_committed = text;
    discardTyped();
}

void QuantityEdit::accept(const QString& text)
{
    m_committed = text;
    setProblem({});
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

void QuantityEdit::discardTyped()
{
    m_pause.stop();
    setProblem({});
    if (text() != m_committed)
        setText(m_committed);
}

void QuantityEdit::submitNow()
{
    if (!isPending())
        return;
    m_pause.stop();
    Q_EMIT submitted(text());
}

void QuantityEdit::finish()
{
    submitNow();
    if (!hasProblem())
        discardTyped();
    Q_EMIT editingDone();
}

void QuantityEdit::step(int direction, bool large)
{
    const QString next = steppedText(text(), m_step, direction, large);
    if (next == text())
        return;
    setText(next);
    m_pause.stop();
    Q_EMIT submitted(next);
}

bool QuantityEdit::event(QEvent* event)
{
    // Undo belongs to the study once the typed text was taken; before that it takes back what was typed.
    const bool draft = text() != m_committed && (isPending() || hasProblem());
    if (event->type() == QEvent::ShortcutOverride && !draft) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore();
            return true;
        }
    }
    return QLineEdit::event(event);
}

void QuantityEdit::keyPressEvent(QKeyEvent* event)
{
    if (isReadOnly())
        return QLineEdit::keyPressEvent(event);
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
            discardTyped();
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
    if (event->reason() != Qt::PopupFocusReason)
        finish();
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
    if (!m_unitFits)
        return;
    p.setFont(m_theme.font(Type::body));
    p.setPen(m_theme.color(Role::textSecondary));
    p.drawText(rect().adjusted(0, 0, -m_theme.px(9), 0), Qt::AlignVCenter | Qt::AlignRight, m_unit);
}

} // namespace prism::ui
