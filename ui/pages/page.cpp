// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/page.h"

#include <QPainter>

namespace prism::ui {

void Page::paintExport(QPainter& painter)
{
    render(&painter, {}, {}, QWidget::DrawChildren);
}

} // namespace prism::ui
