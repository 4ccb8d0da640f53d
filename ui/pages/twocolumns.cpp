// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/twocolumns.h"

#include <QBoxLayout>

#include <algorithm>

namespace prism::ui {

TwoColumns::TwoColumns(Part first, Part second, int spacing, QWidget* parent)
    : QWidget(parent),
      m_layout(new QBoxLayout(QBoxLayout::LeftToRight, this)),
      m_first(first.widget),
      m_second(second.widget)
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(spacing);
    m_layout->addWidget(first.widget, first.share);
    m_layout->addWidget(second.widget, second.share);
}

QSize TwoColumns::minimumSizeHint() const
{
    const int width = std::max(m_first->minimumSizeHint().width(), m_second->minimumSizeHint().width());
    return {width, m_layout->totalMinimumSize().height()};
}

void TwoColumns::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const int both = m_first->minimumSizeHint().width() + m_layout->spacing() + m_second->minimumSizeHint().width();
    const QBoxLayout::Direction fits = width() >= both ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom;
    if (m_layout->direction() == fits)
        return;
    m_layout->setDirection(fits);
    updateGeometry();
}

} // namespace prism::ui
