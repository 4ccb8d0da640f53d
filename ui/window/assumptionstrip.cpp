// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/assumptionstrip.h"

#include "core/engine/verdict.h"
#include "ui/findings/findings.h"
#include "ui/plot/canvas.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

constexpr int kLinesForTwo = 6;                                                // from this number on, what is omitted has two
constexpr double kLineOfText = 14.5, kAboveAndBelow = 2, kNextToHeadings = 10; // at scale 1

} // namespace

AssumptionStrip::AssumptionStrip(Workspace& workspace, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_workspace(workspace),
      m_theme(theme)
{
    setObjectName(u"assumptions"_s);
    setAccessibleName(tr("Assumptions and limits"));
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

int AssumptionStrip::heightFor(int width, int lines) const
{
    QImage device(1, 1, QImage::Format_ARGB32_Premultiplied);
    QPainter painter(&device);
    const Canvas canvas(painter, m_theme.look());
    const double room = width - headingsWidth(canvas);
    int smallest = 0; // a sentence of each, whole
    for (const Part& part : m_parts)
        smallest += linesOfFirst(canvas, part, room);
    return static_cast<int>(std::ceil(m_theme.look().pxF(std::max(lines, smallest) * kLineOfText + 2 * kAboveAndBelow)));
}

double AssumptionStrip::headingsWidth(const Canvas& canvas) const
{
    double widest = 0;
    for (const Part& part : m_parts)
        widest = std::max(widest, canvas.width(part.heading, Type::tickStrong));
    return widest + canvas.look.px(kNextToHeadings);
}

int AssumptionStrip::linesOfFirst(const Canvas& canvas, const Part& part, double width)
{
    const QStringList first = part.sentences.mid(0, 1), more{tr("(%1 more)").arg(part.sentences.size() - 1)};
    return static_cast<int>(canvas.wrapped((part.sentences.size() > 1 ? first + more : first).join(u' '), Type::tick, width).size());
}

void AssumptionStrip::refresh()
{
    if (!m_theme.presentation())
        return;
    const ShownScenario* shown = m_workspace.context().current();
    const ScenarioEntry* entry = m_workspace.study().current();
    if (!shown || !entry)
        return;
    const Scenario& scenario = *entry->scenario;
    Part assumed{tr("Assumed"), assumptionSentences(scenario)};
    const QStringList slow = slowPlaceSentences(scenario, {}); // what is marked comes before what every cluster has
    for (qsizetype i = 0; i < slow.size(); ++i)
        assumed.sentences.insert(1 + i, slow[i]);
    Part excluded{tr("Left out"), {}};
    if (shown->snapshot)
        for (const Caveat& caveat : verdictOf(*shown->snapshot).caveats)
            excluded.sentences << QString::fromStdString(caveat.sentence);
    excluded.sentences << modelLimitSentences();
    m_parts = {assumed, excluded};
    QStringList all;
    for (const Part& part : m_parts)
        all << part.heading + u": "_s + part.sentences.join(u' ');
    setAccessibleDescription(all.join(u'\n'));
    setToolTip(all.join(u'\n'));
    update();
}

QStringList AssumptionStrip::fitting(const Canvas& canvas, const QStringList& sentences, double width, int lines)
{
    for (qsizetype count = sentences.size(); count > 0; --count) {
        const auto left = sentences.size() - count;
        const QString more = left > 0 ? u' ' + tr("(%1 more)").arg(left) : QString();
        QStringList broken = canvas.wrapped(sentences.mid(0, count).join(u' ') + more, Type::tick, width);
        if (broken.size() <= lines)
            return broken;
        if (count == 1) { // one sentence that is too long ends early
            const QString rest = broken.mid(lines - 1).join(u' ');
            broken.resize(lines);
            broken.back() = canvas.elided(rest, Type::tick, width);
            return broken;
        }
    }
    return {};
}

void AssumptionStrip::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    const Look& look = m_theme.look();
    Canvas canvas(painter, look);
    if (m_parts.isEmpty())
        return;
    const double left = headingsWidth(canvas), line = look.pxF(kLineOfText), width = this->width() - left;
    const int all = std::max(2, static_cast<int>((height() - 2 * look.pxF(kAboveAndBelow)) / line + 0.01));
    const int last = std::clamp(linesOfFirst(canvas, m_parts.back(), width), all >= kLinesForTwo ? 2 : 1, all - 1);
    double y = look.pxF(kAboveAndBelow) + line / 2;
    for (const Part& part : m_parts) {
        canvas.text({0, y}, part.heading, Type::tickStrong, Role::text, Qt::AlignLeft | Qt::AlignVCenter);
        for (const QString& text : fitting(canvas, part.sentences, width, &part == &m_parts.back() ? last : std::max(1, all - last))) {
            canvas.text({left, y}, text, Type::tick, Role::textSecondary, Qt::AlignLeft | Qt::AlignVCenter);
            y += line;
        }
    }
}

} // namespace prism::ui
