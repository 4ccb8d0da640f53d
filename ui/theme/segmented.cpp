// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/segmented.h"

#include <QAbstractButton>
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace prism::ui {
namespace {

class SegmentButton final : public QAbstractButton {
public:
    SegmentButton(const Theme& theme, QWidget* parent) : QAbstractButton(parent), m_theme(theme)
    {
        setCheckable(true);
        setFocusPolicy(Qt::StrongFocus);
        setCursor(Qt::PointingHandCursor);
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    }
    void setEnds(bool first, bool last)
    {
        m_first = first;
        m_last = last;
    }
    [[nodiscard]] QSize sizeHint() const override
    {
        const QFontMetrics metrics(m_theme.font(Type::bodyStrong));
        return {metrics.horizontalAdvance(text()) + m_theme.px(24), m_theme.px(metric::button)};
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        const Look& look = m_theme.look();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const double radius = look.pxF(metric::radius);
        painter.setPen(Qt::NoPen);
        painter.setBrush(underMouse() && isEnabled() && !isChecked() ? look[Role::header] : look[Role::panel]);
        painter.drawPath(outline(radius));
        if (!isChecked()) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(look.pen(Role::controlOutline));
            const double right = width() - 0.5, bottom = height() - 0.5;
            painter.drawPath(outline(radius));
            // Between two choices the outline is only a short separator.
            painter.setRenderHint(QPainter::Antialiasing, false);
            const auto inner = [&](double x) {
                painter.setPen(look.pen(Role::panel, 2));
                painter.drawLine(QPointF(x, 1.5), QPointF(x, bottom - 1));
                painter.setPen(look.pen(Role::separator));
                painter.drawLine(QPointF(x, height() * 0.22), QPointF(x, height() * 0.78));
            };
            if (!m_last)
                inner(right);
            if (!m_first) {
                painter.setPen(look.pen(Role::panel, 2));
                painter.drawLine(QPointF(0.5, 1.5), QPointF(0.5, bottom - 1));
            }
        } else {
            painter.setBrush(look[Role::selection]);
            painter.setPen(look.pen(Role::accent));
            painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
        }
        if (hasFocus()) {
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setBrush(Qt::NoBrush);
            painter.setPen(look.pen(Role::accent, metric::focusRing));
            painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), radius, radius);
        }
        painter.setFont(look.font(isChecked() ? Type::bodyStrong : Type::body));
        painter.setPen(!isEnabled() ? look[Role::textTertiary] : isChecked() ? look[Role::text] : look[Role::textSecondary]);
        painter.drawText(rect(), Qt::AlignCenter, text());
    }
    void keyPressEvent(QKeyEvent* event) override { QAbstractButton::keyPressEvent(event); }

private:
    [[nodiscard]] QPainterPath outline(double radius) const
    {
        // Rounded only at the ends of the row: draw wider than the button and let the widget clip.
        QRectF box = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
        if (!m_first)
            box.setLeft(-2 * radius);
        if (!m_last)
            box.setRight(width() + 2 * radius);
        QPainterPath path;
        path.addRoundedRect(box, radius, radius);
        return path;
    }

    const Theme& m_theme;
    bool m_first = false, m_last = false;
};

} // namespace

SegmentedControl::SegmentedControl(const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_theme(theme),
      m_group(new QButtonGroup(this)),
      m_layout(new QHBoxLayout(this))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(0);
    m_group->setExclusive(true);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(m_group, &QButtonGroup::idClicked, this, &SegmentedControl::chosen);
    connect(&theme, &Theme::changed, this, [this] {
        for (QAbstractButton* button : m_group->buttons())
            button->updateGeometry();
        update();
    });
}

void SegmentedControl::setChoices(const QStringList& labels)
{
    const int before = current();
    for (QAbstractButton* button : m_group->buttons()) {
        m_group->removeButton(button);
        delete button;
    }
    for (int i = 0; i < labels.size(); ++i) {
        auto* button = new SegmentButton(m_theme, this);
        button->setText(labels[i]);
        button->setAccessibleName(labels[i]);
        button->setEnds(i == 0, i == labels.size() - 1);
        m_group->addButton(button, i);
        m_layout->addWidget(button);
    }
    setCurrent(std::clamp(before, 0, std::max(0, static_cast<int>(labels.size()) - 1)));
}

void SegmentedControl::setLabel(int index, const QString& label)
{
    if (QAbstractButton* button = m_group->button(index)) {
        button->setText(label);
        button->setAccessibleName(label);
        button->updateGeometry();
    }
}

void SegmentedControl::setCurrent(int index)
{
    if (QAbstractButton* button = m_group->button(index))
        button->setChecked(true);
}

int SegmentedControl::current() const
{
    return m_group->checkedId();
}

int SegmentedControl::count() const
{
    return static_cast<int>(m_group->buttons().size());
}

QString SegmentedControl::label(int index) const
{
    const QAbstractButton* button = m_group->button(index);
    return button ? button->text() : QString();
}

} // namespace prism::ui
