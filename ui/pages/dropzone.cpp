// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/dropzone.h"

#include "ui/pages/card.h"
#include "ui/theme/barelayout.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr double kWidest = 620, kFramePad = 32; // pixels at scale 1

QLabel* centred(const QString& type, const QString& role, const QString& text)
{
    QLabel* label = cardText(type, role, text);
    label->setWordWrap(true);
    label->setAlignment(Qt::AlignCenter);
    return label;
}

} // namespace

DropZone::DropZone(const Theme& theme, const DropZoneText& text, QWidget* parent)
    : QFrame(parent),
      m_problem(centred(u"body"_s, u"error"_s, {})),
      m_sample(new QPushButton(tr("Try a sample")))
{
    QVBoxLayout* card = makeCard(*this, theme);
    auto* column = new QWidget;
    auto* lines = bareLayout<QVBoxLayout>(column, theme.px(metric::cardGap));
    auto* frame = new QFrame;
    frame->setProperty("drop", true);
    auto* inside = new QVBoxLayout(frame);
    inside->setContentsMargins(theme.px(kFramePad), theme.px(kFramePad), theme.px(kFramePad), theme.px(kFramePad));
    inside->setSpacing(theme.px(metric::cardGap));
    inside->addWidget(centred(u"value"_s, {}, text.title));
    inside->addWidget(centred(u"body"_s, u"secondary"_s, text.formats));
    inside->addWidget(m_problem);
    m_problem->hide();
    auto* open = new QPushButton(text.open);
    open->setProperty("kind", u"primary"_s);
    m_sample->setToolTip(text.sample);
    m_sample->setVisible(!text.sample.isEmpty());
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(theme.px(8));
    buttons->addStretch(1);
    buttons->addWidget(open);
    buttons->addWidget(m_sample);
    buttons->addStretch(1);
    inside->addLayout(buttons);
    lines->addWidget(frame);
    int number = 0;
    for (const QString& step : text.steps) {
        QLabel* line = cardText(u"body"_s, u"secondary"_s, tr("%1. %2").arg(++number).arg(step));
        line->setWordWrap(true);
        lines->addWidget(line);
    }
    column->setMaximumWidth(theme.px(kWidest));
    connect(&theme, &Theme::changed, column, [column, &theme] { column->setMaximumWidth(theme.px(kWidest)); });
    auto* middle = new QHBoxLayout;
    middle->addStretch(1);
    middle->addWidget(column, 8);
    middle->addStretch(1);
    card->addStretch(1);
    card->addLayout(middle);
    card->addStretch(2);
    connect(open, &QPushButton::clicked, this, &DropZone::openRequested);
    connect(m_sample, &QPushButton::clicked, this, &DropZone::sampleRequested);
}

void DropZone::setProblem(const QString& sentence)
{
    m_problem->setText(sentence);
    m_problem->setVisible(!sentence.isEmpty());
}

} // namespace prism::ui
