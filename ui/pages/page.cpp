#include "ui/pages/page.h"

#include <QPainter>

namespace prism::ui {

void Page::paintExport(QPainter& painter)
{
    render(&painter, {}, {}, QWidget::DrawChildren);
}

} // namespace prism::ui
