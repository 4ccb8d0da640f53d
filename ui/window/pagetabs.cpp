// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/pagetabs.h"

#include "ui/theme/fieldwidth.h"

#include <QMenu>
#include <QPainter>
#include <QToolButton>

#include <numeric>

namespace prism::ui {

namespace {
constexpr double kGaps[] = {15, 11, 8};                                  // at scale 1, the widest that fits
constexpr double kUnderline = 3, kMore = 28, kRule = 17, kAfterName = 8; // a line between two groups with its gaps
} // namespace

PageTabs::PageTabs(const Theme& theme, QWidget* parent)
    : QTabBar(parent),
      m_theme(theme),
      m_more(makeMoreButton(theme, tr("More pages"), this)),
      m_gap(kGaps[0])
{
    setObjectName(QStringLiteral("pageTabs"));
    setAccessibleName(tr("Pages"));
    setExpanding(false);
    setDocumentMode(true);
    setUsesScrollButtons(false);
    setMouseTracking(true);
    connect(this, &QTabBar::currentChanged, this, &PageTabs::fit);
    const auto restyleTabs = [this] {
        fit();
        updateGeometry();
    };
    connect(&theme, &Theme::changed, this, restyleTabs);
    restyleTabs();
}

void PageTabs::addPage(const QString& title, const QString& group)
{
    const int index = addTab(title);
    setTabData(index, group);
    fit();
}

QString PageTabs::groupAt(int index) const
{
    const QString group = tabData(index).toString();
    return index > 0 && group == tabData(index - 1).toString() ? QString() : group;
}

int PageTabs::leftOf(int index) const
{
    const int edge = m_theme.px(index == 0 ? metric::pageMargin : m_gap); // the first label is over the page's edge
    const QString group = groupAt(index);
    if (group.isEmpty())
        return edge;
    const int name = m_named ? QFontMetrics(m_theme.font(Type::tick)).horizontalAdvance(group) + m_theme.px(m_gap + kAfterName) : 0;
    return edge + name + (index > 0 ? m_theme.px(kRule) : 0);
}

QSize PageTabs::tabSizeHint(int index) const
{
    const QFontMetrics metrics(m_theme.font(Type::bodyStrong));
    return {leftOf(index) + metrics.horizontalAdvance(tabText(index)) + m_theme.px(m_gap), m_theme.px(metric::tabRow)};
}

QSize PageTabs::sizeHint() const
{
    QList<int> all(count());
    std::iota(all.begin(), all.end(), 0);
    return {widthOf(all), m_theme.px(metric::tabRow)};
}

QSize PageTabs::minimumSizeHint() const
{
    return {m_theme.px(kMore), m_theme.px(metric::tabRow)};
}

int PageTabs::widthOf(const QList<int>& tabs) const
{
    return std::accumulate(tabs.begin(), tabs.end(), 0, [this](int sum, int tab) { return sum + tabSizeHint(tab).width(); });
}

void PageTabs::fit()
{
    QList<int> shown(count());
    std::iota(shown.begin(), shown.end(), 0);
    bool all = false;
    for (const bool named : {true, false})
        for (const double gap : kGaps)
            if (!all) {
                m_named = named;
                m_gap = gap;
                all = widthOf(shown) <= width();
            }
    const int room = width() - m_theme.px(kMore);
    for (qsizetype last = shown.size() - 1; !all && last >= 0 && widthOf(shown) > room; --last)
        if (shown[last] != currentIndex())
            shown.removeAt(last);
    for (int i = 0; i < count(); ++i)
        if (const bool seen = shown.contains(i); seen != isTabVisible(i))
            setTabVisible(i, seen);
    m_more->setVisible(!all);
    const QSize button = m_more->sizeHint();
    m_more->setGeometry(width() - button.width(), (m_theme.px(metric::tabRow) - button.height()) / 2, button.width(), button.height());
    fillMenu();
    QEvent changed(QEvent::StyleChange); // Qt keeps the widths of tabs until their text or the style changes
    changeEvent(&changed);
}

void PageTabs::fillMenu()
{
    m_more->menu()->clear();
    for (int i = 0; i < count(); ++i)
        if (!isTabVisible(i))
            m_more->menu()->addAction(tabText(i), this, [this, i] { setCurrentIndex(i); });
}

void PageTabs::tabInserted(int index)
{
    QTabBar::tabInserted(index);
    fit();
}

void PageTabs::resizeEvent(QResizeEvent* event)
{
    QTabBar::resizeEvent(event);
    fit();
}

void PageTabs::paintEvent(QPaintEvent* /*event*/)
{
    QPainter p(this);
    const Look& look = m_theme.look();
    const QPoint mouse = underMouse() ? mapFromGlobal(QCursor::pos()) : QPoint(-1, -1);
    for (int i = 0; i < count(); ++i) {
        if (!isTabVisible(i))
            continue;
        const QRect tab = tabRect(i);
        const bool current = i == currentIndex();
        if (const QString group = groupAt(i); !group.isEmpty()) {
            if (i > 0)
                p.fillRect(QRect(tab.left() + look.px(kRule / 2), tab.center().y() - look.px(8), 1, look.px(16)), look[Role::separator]);
            p.setFont(look.font(Type::tick));
            p.setPen(look[Role::textTertiary]);
            const int left = tab.left() + look.px(i > 0 ? kRule + m_gap : metric::pageMargin);
            if (m_named)
                p.drawText(QRect(left, tab.top(), tab.width(), tab.height()), Qt::AlignVCenter | Qt::AlignLeft, group);
        }
        const QRect label(tab.left() + leftOf(i), tab.top(), tab.width() - leftOf(i) - look.px(m_gap), tab.height());
        p.setFont(look.font(current ? Type::bodyStrong : Type::body));
        p.setPen(look[current && hasFocus() ? Role::accent : current || tab.contains(mouse) ? Role::text : Role::textSecondary]);
        p.drawText(label, Qt::AlignCenter, tabText(i));
        if (current)
            p.fillRect(QRect(label.left(), tab.bottom() + 1 - look.px(kUnderline), label.width(), look.px(kUnderline)), look[Role::accent]);
    }
}

} // namespace prism::ui
