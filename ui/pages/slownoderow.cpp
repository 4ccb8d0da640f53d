// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/slownoderow.h"

#include "ui/editor/quantityedit.h"
#include "ui/pages/card.h"
#include "ui/plot/heatmap.h"
#include "ui/theme/rescale.h"
#include "ui/theme/icons.h"

#include <QApplication>
#include <QDrag>
#include <QHBoxLayout>
#include <QLabel>
#include <QMimeData>
#include <QMouseEvent>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

QVBoxLayout* twoLines(QLabel* first, QLabel* second)
{
    auto* column = new QVBoxLayout;
    column->setSpacing(0);
    column->addWidget(first);
    column->addWidget(second);
    return column;
}

} // namespace

NodeHandle::NodeHandle(const Theme& theme, int node, QWidget* parent) : QToolButton(parent), m_node(node)
{
    const auto draw = [this, &theme] { setIcon(prism::ui::icon(Icon::move, theme.look(), Role::textSecondary)); };
    setIconSize({theme.px(16), theme.px(16)}); // the window scales it from here on
    connect(&theme, &Theme::changed, this, draw);
    draw();
    setProperty("kind", u"small"_s); // as high as the row of tools
    setCursor(Qt::OpenHandCursor);
    setFocusPolicy(Qt::NoFocus); // the keyboard marks the chosen cell
    setToolTip(node < 0 ? tr("Drag onto a cell: the node there becomes slow") : tr("Drag onto a cell to place node %1 there").arg(node));
    setAccessibleName(toolTip());
}

void NodeHandle::mousePressEvent(QMouseEvent* event)
{
    m_pressed = event->position().toPoint();
    QToolButton::mousePressEvent(event);
}

void NodeHandle::mouseMoveEvent(QMouseEvent* event)
{
    if (!(event->buttons() & Qt::LeftButton)
        || (event->position().toPoint() - m_pressed).manhattanLength() < QApplication::startDragDistance())
        return;
    setDown(false);
    auto* drag = new QDrag(this);
    drag->setMimeData(HeatMap::mimeDataOf(m_node));
    drag->setPixmap(icon().pixmap(iconSize()));
    drag->exec(Qt::MoveAction);
}

SlowNodeRow::SlowNodeRow(const Theme& theme, const SlowNodeText& text, QWidget* parent) : QFrame(parent)
{
    const int node = text.node;
    setObjectName(u"slowNode%1"_s.arg(node));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, theme.px(4), 0, theme.px(4));
    layout->setSpacing(theme.px(8));
    layout->addWidget(new NodeHandle(theme, node));
    layout->addLayout(twoLines(cardText(u"strong"_s, {}, text.name), cardText(u"tick"_s, u"tertiary"_s, text.place)), 1);
    auto* edit = new QuantityEdit(theme);
    edit->setUnit(u"%"_s);
    edit->setStep(StepKind::one);
    edit->setFixedWidth(theme.px(72));
    edit->setCommitted(QString::number((text.factor - 1) * 100, 'g', 4));
    edit->setAccessibleName(tr("Slowness of node %1 in percent").arg(node));
    layout->addWidget(edit);
    const QString role = text.gainRole == Role::good ? u"good"_s : text.gainRole == Role::bad ? u"bad"_s : u"secondary"_s;
    QLabel* gain = cardText(u"smallStrong"_s, role, text.gain);
    QLabel* interval = cardText(u"tick"_s, u"tertiary"_s, text.interval);
    for (QLabel* label : {gain, interval}) {
        label->setWordWrap(label == gain && text.gainInWords);
        label->setAlignment(Qt::AlignRight);
        label->setMinimumWidth(theme.px(62));
    }
    gain->setToolTip(tr("Change of p95 when this node is at full speed"));
    layout->addLayout(twoLines(gain, interval));
    auto* remove = new QToolButton;
    remove->setIcon(icon(Icon::cross, theme.look(), Role::textSecondary));
    remove->setAccessibleName(tr("Node %1 is not slow").arg(node));
    remove->setToolTip(remove->accessibleName());
    layout->addWidget(remove);
    for (QWidget* editing : {static_cast<QWidget*>(edit), static_cast<QWidget*>(remove)})
        showWhileEditable(*editing, theme);
    connect(edit, &QuantityEdit::submitted, this, [edit](const QString& typed) {
        QString digits = typed;
        bool number = false;
        const double percent = digits.remove(u'%').trimmed().toDouble(&number);
        if (!number || percent < 0 || percent > kMaxSlowPercent)
            return edit->setProblem(tr("A slowness of 0 to %1 %").arg(kMaxSlowPercent));
        edit->setProblem({});
        edit->setProperty("percent", percent);
    });
    connect(edit, &QuantityEdit::editingDone, this, [this, edit, node, factor = text.factor] {
        const QVariant percent = edit->property("percent");
        if (percent.isValid() && !edit->hasProblem() && 1 + percent.toDouble() / 100 != factor)
            Q_EMIT factorChosen(node, 1 + percent.toDouble() / 100);
    });
    connect(remove, &QToolButton::clicked, this, [this, node] { Q_EMIT factorChosen(node, 1.0); });
}

} // namespace prism::ui
