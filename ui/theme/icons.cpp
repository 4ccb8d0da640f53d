// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/icons.h"

#include <QIconEngine>
#include <QPainter>
#include <QSvgRenderer>

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

struct Drawing {
    Icon which;
    const char* svg;
};

/// SVG elements inside a 16 x 16 view box, stroked with the current colour; `F` stands for a filled shape.
constexpr Drawing kDrawings[] = {
    {Icon::add, "<path d='M8 3v10M3 8h10'/>"},
    {Icon::duplicate, "<rect x='5.5' y='5.5' width='8' height='8' rx='1.5'/><path d='M3.5 10.5h-1v-8h8v1'/>"},
    {Icon::archive, "<path d='M2.5 3.5h11v3h-11zM3.5 6.5v6.5h9V6.5M6.5 9h3'/>"},
    {Icon::pin, "<path F d='M5.5 2.5h5v4l1.5 2.5h-8l1.5-2.5z'/><path d='M8 9v5'/>"},
    {Icon::pinOutline, "<path d='M5.5 2.5h5v4l1.5 2.5h-8l1.5-2.5zM8 9v5'/>"},
    {Icon::undo, "<path d='M6 3 3 6l3 3M3 6h6.5a3.5 3.5 0 0 1 0 7H6'/>"},
    {Icon::redo, "<path d='M10 3l3 3-3 3M13 6H6.5a3.5 3.5 0 0 0 0 7H10'/>"},
    {Icon::table, "<path d='M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6.5 6.5v6'/>"},
    {Icon::copy, "<rect x='5.5' y='5.5' width='8' height='8' rx='1.5'/><path d='M10.5 5.5v-3h-8v8h3'/>"},
    {Icon::exportFile, "<path d='M8 10V2.5M5 5l3-3 3 3M2.5 9.5v4h11v-4'/>"},
    {Icon::chevronDown, "<path d='M4 6l4 4 4-4'/>"},
    {Icon::chevronRight, "<path d='M6 4l4 4-4 4'/>"},
    {Icon::chevronUp, "<path d='M4 10l4-4 4 4'/>"},
    {Icon::check, "<path d='M3 8.5l3.5 3.5L13 4.5'/>"},
    {Icon::cross, "<path d='M4 4l8 8M12 4l-8 8'/>"},
    {Icon::info, "<circle cx='8' cy='8' r='6'/><path d='M8 7.2v4M8 4.6v.8'/>"},
    {Icon::warning, "<path d='M8 2.5 14 13H2zM8 6.5v3M8 11v.6'/>"},
    {Icon::error, "<circle cx='8' cy='8' r='6'/><path d='M8 4.6v4.2M8 10.8v.6'/>"},
    {Icon::search, "<circle cx='7' cy='7' r='4'/><path d='M10 10l3.5 3.5'/>"},
    {Icon::more, "<path F d='M3 7h2v2H3zM7 7h2v2H7zM11 7h2v2h-2z'/>"},
    {Icon::settings,
     "<path d='M2.5 4.5h7M12 4.5h1.5M2.5 11.5H4M7 11.5h6.5'/><circle cx='10.8' cy='4.5' r='1.5'/><circle cx='5.5' cy='11.5' "
     "r='1.5'/>"},
    {Icon::play, "<path F d='M5 3l8 5-8 5z'/>"},
    {Icon::stop, "<path F d='M4 4h8v8H4z'/>"},
    {Icon::move, "<path d='M8 2v12M2 8h12M6 4l2-2 2 2M6 12l2 2 2-2M4 6 2 8l2 2M12 6l2 2-2 2'/>"},
    {Icon::remove, "<path d='M3.5 4.5h9M6 4.5v-2h4v2M4.5 4.5l.7 9h5.6l.7-9'/>"},
    {Icon::open, "<path d='M2.5 12.5v-9h4l1.5 2h5.5v7z'/>"},
    {Icon::save, "<path d='M2.5 2.5h9l2 2v9h-11zM5 2.5v3.5h5V2.5M5 13.5V9.5h6v4'/>"},
    {Icon::visible, "<path d='M1.5 8C4 3.5 12 3.5 14.5 8 12 12.5 4 12.5 1.5 8z'/><circle cx='8' cy='8' r='2'/>"},
    {Icon::hidden, "<path d='M1.5 8C4 3.5 12 3.5 14.5 8 12 12.5 4 12.5 1.5 8zM3 13 13 3'/>"},
};

const char* drawing(Icon which)
{
    const auto* const found = std::ranges::find(kDrawings, which, &Drawing::which);
    return found != std::end(kDrawings) ? found->svg : "";
}

/// Renders at any requested size and scale.
class SvgEngine final : public QIconEngine {
public:
    SvgEngine(Icon which, QColor normal, QColor disabled) : m_which(which), m_normal(normal), m_disabled(disabled) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State /*state*/) override
    {
        QSvgRenderer renderer(iconSvg(m_which, mode == QIcon::Disabled ? m_disabled : m_normal));
        renderer.render(painter, rect);
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        if (size.isEmpty())
            return {}; // a button that was squeezed to nothing
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return pixmap;
    }
    [[nodiscard]] QIconEngine* clone() const override { return new SvgEngine(*this); }

private:
    Icon m_which;
    QColor m_normal, m_disabled;
};

} // namespace

QIcon icon(Icon which, const Look& look, Role role)
{
    return QIcon(new SvgEngine(which, look[role], look[Role::textTertiary]));
}

QByteArray iconSvg(Icon which, const QColor& color)
{
    QByteArray body = drawing(which);
    body.replace(" F ", " fill='currentColor' ");
    QByteArray svg = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' fill='none' stroke='currentColor' stroke-width='1.4' "
                     "stroke-linecap='round' stroke-linejoin='round'>"
                     + body + "</svg>";
    return svg.replace("currentColor", color.name().toLatin1());
}

} // namespace prism::ui
