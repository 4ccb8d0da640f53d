// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/configeditor.h"
#include "ui/window/dialogs.h"
#include "ui/window/headlinestrip.h"
#include "ui/window/jobbar.h"
#include "ui/window/mainwindow.h"
#include "ui/window/pagehost.h"
#include "ui/window/scenariopanel.h"
#include "ui/theme/plaintext.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

#include <algorithm>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

/// Dims the window but for one part and explains its purpose. Esc ends it.
class Tour final : public QWidget {
public:
    explicit Tour(MainWindow& window) : QWidget(&window), m_theme(window.theme())
    {
        setObjectName(u"tour"_s);
        setAttribute(Qt::WA_DeleteOnClose);
        setGeometry(window.rect());
        m_stops = {{&window.scenarios(), tr("Scenarios"),
                    tr("Each row is one way to run the job. All are compared with the baseline (Ctrl+B pins another).")},
                   {&window.editor(), tr("Configuration"),
                    tr("Change any value and all results follow. Bars mark what differs from the baseline. Ctrl+Z takes it back.")},
                   {&window.headline(), tr("Headline"),
                    tr("Step time at p50, p95 and p99 with change and 95 % interval, and in how many steps the scenario is faster than the "
                       "baseline.")},
                   {&window.pages(), tr("Pages"),
                    tr("Drag the flag to read the share of steps over a limit, or type one. The other pages say what causes the spread and "
                       "where a slow node hurts.")},
                   {&window.jobs(), tr("Jobs"), tr("What is being computed, and what the last edit cost. Nothing here ever blocks you.")}};
        m_card = new QFrame(this);
        m_card->setProperty("card", true);
        auto* layout = new QVBoxLayout(m_card);
        m_title = plainLabel({}, {}, u"title"_s);
        m_text = plainLabel();
        m_text->setWordWrap(true);
        auto* buttons = new QHBoxLayout;
        auto* skip = new QPushButton(tr("End tour"));
        m_next = new QPushButton(tr("Next"));
        m_next->setProperty("kind", u"primary"_s);
        buttons->addWidget(skip);
        buttons->addStretch();
        buttons->addWidget(m_next);
        layout->addWidget(m_title);
        layout->addWidget(m_text);
        layout->addLayout(buttons);
        connect(skip, &QPushButton::clicked, this, &QWidget::close);
        connect(m_next, &QPushButton::clicked, this, [this] { go(m_at + 1); });
        go(0);
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        QPainter p(this);
        QRegion region(rect());
        region -= m_hole;
        p.setClipRegion(region);
        QColor shade = m_theme.color(Role::text);
        shade.setAlphaF(m_theme.isDark() ? 0.2F : 0.35F);
        p.fillRect(rect(), shade);
        p.setClipping(false);
        p.setPen(m_theme.look().pen(Role::accent, metric::focusRing));
        p.drawRect(m_hole);
    }
    void keyPressEvent(QKeyEvent* event) override
    {
        if (event->key() == Qt::Key_Escape)
            close();
        else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Right)
            go(m_at + 1);
        else if (event->key() == Qt::Key_Left)
            go(std::max(m_at - 1, 0));
        else
            QWidget::keyPressEvent(event);
    }

private:
    struct Stop {
        QWidget* part;
        QString title, text;
    };
    void go(int at)
    {
        if (at >= m_stops.size()) {
            close();
            return;
        }
        m_at = at;
        const Stop& stop = m_stops[at];
        m_hole = QRect(stop.part->mapTo(parentWidget(), QPoint(0, 0)), stop.part->size());
        m_title->setText(u"%1 (%2 of %3)"_s.arg(stop.title).arg(at + 1).arg(m_stops.size()));
        m_text->setText(stop.text);
        m_next->setText(at + 1 == m_stops.size() ? tr("Done") : tr("Next"));
        m_card->setFixedWidth(m_theme.px(340));
        m_card->adjustSize();
        const QPoint right(m_hole.right() + 16, m_hole.top() + 24);
        const bool fits = right.x() + m_card->width() < width();
        const bool tall = m_hole.height() > height() / 2;
        QPoint where = fits   ? right
                       : tall ? QPoint(m_hole.center().x() - m_card->width() / 2, m_hole.center().y())
                              : QPoint(m_hole.center().x() - m_card->width() / 2, m_hole.bottom() + 16);
        if (where.y() + m_card->height() > height())
            where.setY(m_hole.top() - m_card->height() - 16);
        m_card->move(where);
        m_next->setFocus();
        update();
    }
    const Theme& m_theme;
    QList<Stop> m_stops;
    QFrame* m_card;
    QLabel *m_title, *m_text;
    QPushButton* m_next;
    QRect m_hole;
    int m_at = 0;
};

} // namespace

void startTour(MainWindow& window)
{
    auto* tour = new Tour(window);
    tour->show();
    tour->raise();
}

} // namespace prism::ui
