// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/fieldline.h"

#include "ui/theme/rescale.h"
#include "ui/theme/barelayout.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>

#include <algorithm>

namespace prism::ui {

namespace {
constexpr double kColumn = metric::labelColumn - 22, kMinColumn = 64; // pixels at scale 1: the usual width of a label, and the smallest
}

FieldLine::FieldLine(const Theme& theme, QLabel* label, QWidget* field, QWidget* parent)
    : QWidget(parent),
      m_theme(theme),
      m_label(label),
      m_field(field)
{
    label->setProperty("role", QStringLiteral("secondary"));
    label->setWordWrap(true);
    label->setFixedWidth(theme.px(kColumn));
    label->setProperty(kOwnWidth, true);
    connect(&theme, &Theme::changed, this, &FieldLine::fit);
    label->setBuddy(field);
    auto* line = bareLayout<QHBoxLayout>(this, theme.px(metric::grid));
    line->addWidget(label);
    line->addWidget(field, 1);
}

QSize FieldLine::minimumSizeHint() const
{
    QSize size = QWidget::minimumSizeHint();
    size.rwidth() += m_theme.px(kMinColumn) - m_label->minimumWidth();
    return size;
}

bool FieldLine::event(QEvent* event)
{
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)
        fit();
    return QWidget::event(event);
}

void FieldLine::fit()
{
    const QMargins margins = layout()->contentsMargins();
    const int room = width() - margins.left() - margins.right() - layout()->spacing() - m_field->minimumSizeHint().width();
    const int column = std::clamp(room, m_theme.px(kMinColumn), m_theme.px(kColumn));
    if (column != m_label->minimumWidth())
        m_label->setFixedWidth(column);
}

} // namespace prism::ui
