// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/headlinestrip.h"

#include "ui/findings/studyanswer.h"
#include "ui/look/format.h"
#include "ui/pages/page.h"
#include "ui/theme/fieldwidth.h"
#include "ui/theme/plaintext.h"
#include "ui/window/assumptionstrip.h"

#include <QContextMenuEvent>
#include <QHash>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QToolButton>
#include <QToolTip>

#include <algorithm>
#include <numeric>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

constexpr int kMinAnswer = 300, kMaxAnswer = 680; // at scale 1
constexpr int kAroundOwn = 28;                    // around the words of the answer
constexpr int kShown = 5;                         // metrics next to the answer
constexpr int kMaxExtra = 40;                     // between the metrics, in addition to what they need

/// The current scenario over systems: steps that miss the limit, and the tail; in one line, the tail where no limit is set. Empty where
/// nothing is known of them.
MissedOverSystems overSystems(const PageContext& context)
{
    const ShownScenario* s = context.current();
    if (!s || !s->snapshot || !s->snapshot->systems)
        return {};
    const SystemsRange& range = *s->snapshot->systems;
    MissedOverSystems all = missedOverSystems(*s->snapshot, context.limitSeconds);
    all.sentence = (all.sentence + u' ' + QString::fromStdString(systemsSentence(range))).trimmed();
    const auto above = [](double ratio) { return format::fixed(100 * (ratio - 1), 1); };
    if (all.words.isEmpty() && !range.systems.empty())
        all.words =
            QObject::tr("p95 %1 to %2 % above p50 on nine of ten systems").arg(above(range.p95OverP50.low), above(range.p95OverP50.high));
    return all;
}

/// A number and its unit stay on one line.
QString withUnbrokenMetrics(QString text)
{
    static const QRegularExpression kBeforeUnit(u"(?<=\\d) (?=%|[a-zµ]?s\\b|GiB|GPUs|days|[kMGTP]?\\$)"_s);
    return text.replace(kBeforeUnit, QString(QChar::Nbsp));
}

} // namespace

HeadlineStrip::HeadlineStrip(Workspace& workspace, ChangesCache& cache, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_workspace(workspace),
      m_cache(cache),
      m_theme(theme)
{
    setObjectName(u"headline"_s);
    setAccessibleName(tr("Metrics of the current scenario"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMouseTracking(true);
    m_more = makeMoreButton(theme, tr("More figures"), this);
    m_assumptions = new AssumptionStrip(workspace, theme, this);
    connect(&workspace, &Workspace::contextChanged, this, &HeadlineStrip::refresh);
    const auto restyleStrip = [this] {
        layoutCells();
        update();
    };
    connect(&theme, &Theme::changed, this, restyleStrip);
    restyleStrip();
}

void HeadlineStrip::setPage(const Page* page)
{
    m_page = page;
    refresh();
}

QSize HeadlineStrip::sizeHint() const
{
    return {900, m_theme.px(metric::headline)};
}

void HeadlineStrip::refresh()
{
    const PageContext& context = m_workspace.context();
    const ShownScenario* current = context.current();
    m_badge = current && current->snapshot ? headlineBadge(*current->snapshot) : HeadlineBadge();
    m_badgeRect = {};
    m_systems = overSystems(context);
    m_lines = linesOf(context);
    m_cells = headlineCells(context, m_cache, m_workspace.bridge().result(context.currentId), m_workspace.fieldProblems(context.currentId));
    static const QHash<QString, QList<int>> first{{u"moves"_s, {1, 0, 6, 4, 8}},
                                                  {u"explore"_s, {1, 6, 8, 4, 5}},
                                                  {u"scale"_s, {4, 5, 1, 8, 6}},
                                                  {u"job"_s, {7, 8, 1, 4, 5}}}; // cells that the page needs first
    const QList<HeadlineCell> all = m_cells;
    const QList<int> order = m_page ? first.value(m_page->id()) : QList<int>();
    for (qsizetype i = order.size() - 1; i >= 0; --i)
        m_cells.move(
            static_cast<qsizetype>(std::find_if(m_cells.begin(), m_cells.end(), [&](const auto& c) { return c.key == all[order[i]].key; })
                                   - m_cells.begin()),
            0);
    const QString own = m_page ? m_page->answer() : QString();
    m_answer = own.isEmpty() ? studyAnswer(context, m_cache) : own;
    if (m_answer.isEmpty())
        m_answer = textOf(stateOf(current), false, tr("Computing step times")).message;
    m_answerIsStale = own.isEmpty() ? !isAnswerCurrent(context) : m_page->state() != PageState::current;
    QStringList readings{m_answer};
    for (const HeadlineCell& cell : m_cells)
        readings << cell.reading();
    if (!m_systems.sentence.isEmpty())
        readings << m_systems.sentence;
    readings << m_badge.reasons;
    setAccessibleDescription(readings.join(u"; "_s));
    layoutCells();
    update();
}

ScenarioLines HeadlineStrip::linesOf(const PageContext& context) const
{
    ScenarioLines lines;
    const ShownScenario *s = context.current(), *baseline = context.baseline();
    if (!s)
        return lines;
    TextRuns comparison, samples;
    if (s->isBaseline || !baseline) {
        lines.second = {{s->isBaseline ? tr("Baseline of this study") : tr("No baseline is pinned"), Type::small, Role::textSecondary}};
        comparison = {{context.scenarios.size() == 1 ? tr("1 scenario") : tr("%1 scenarios").arg(context.scenarios.size()), Type::small,
                       Role::textSecondary}};
    } else {
        lines.second = {{tr("compared with "), Type::small, Role::textSecondary}, {baseline->name, Type::small, Role::text, false, true}};
        if (s->snapshot && baseline->snapshot)
            comparison = comparisonRuns(*baseline->snapshot, *s->snapshot, m_cache.changes(baseline->snapshot, s->snapshot, false));
    }
    if (s->snapshot)
        samples = {
            {tr("n %1, 95 %").arg(format::count(static_cast<std::int64_t>(s->snapshot->across.samples))), Type::tick, Role::textTertiary}};
    lines.third = comparisonForms(comparison, samples);
    if (!m_systems.words.isEmpty() && !lines.third.isEmpty())
        lines.third.prepend(lines.third.front() + TextRuns{{u"  ·  "_s + m_systems.words, Type::tick, Role::textTertiary}});
    return lines;
}

void HeadlineStrip::layoutCells()
{
    m_rects.clear();
    const double rowHeight = m_theme.px(metric::headline), right = width() - m_theme.px(8);
    const QSize button = m_more->sizeHint();
    const double room = right - button.width() - m_theme.px(20) - m_theme.px(kMinAnswer);
    QList<double> needs;
    double used = 0;
    for (const HeadlineCell& cell : m_cells.mid(0, kShown)) {
        const double need = minWidth(cell, m_theme.look(), true);
        if (!needs.isEmpty() && used + need > room)
            break;
        needs << need;
        used += need;
    }
    const double spare = std::max(0.0, room - used);
    const double extra = needs.isEmpty() ? 0 : std::min<double>(spare / 4 / static_cast<double>(needs.size()), m_theme.px(kMaxExtra));
    m_ownWidth = static_cast<int>(
        std::min<double>(m_theme.px(kMinAnswer) + spare - extra * static_cast<double>(needs.size()), m_theme.px(kMaxAnswer)));
    double at = m_ownWidth + m_theme.px(16);
    for (const double need : needs) {
        m_rects << QRectF(at, 0, need + extra, rowHeight);
        at += need + extra;
    }
    const int nextTo = static_cast<int>(m_rects.size());
    const int rows = m_theme.presentation() ? layoutRest(nextTo, at + m_theme.px(4), right) : 1;
    setFixedHeight(static_cast<int>(rowHeight) * rows + placeAssumptions(rows));
    m_more->setVisible(m_rects.size() < m_cells.size());
    m_more->setGeometry(width() - button.width() - m_theme.px(8), m_theme.px(10), button.width(), button.height());
    m_more->menu()->clear();
    for (qsizetype i = m_rects.size(); i < m_cells.size(); ++i)
        m_more->menu()->addAction(m_cells[i].reading());
}

int HeadlineStrip::placeAssumptions(int rows)
{
    constexpr int kMinWidth = 240; // at scale 1
    m_assumptions->setVisible(m_theme.presentation());
    if (!m_theme.presentation())
        return 0;
    m_assumptions->refresh();
    const int row = m_theme.px(metric::headline), edge = m_theme.px(metric::pageMargin);
    const int from = rows > 1 && !m_rects.isEmpty() ? static_cast<int>(m_rects.back().right()) + edge : 0;
    const int nextTo = width() - edge - from;
    if (from > 0 && nextTo >= m_theme.px(kMinWidth) && m_assumptions->heightFor(nextTo, 3) <= row) {
        m_assumptions->setGeometry(from, row, nextTo, row);
        return 0;
    }
    const int high = m_assumptions->heightFor(width() - 2 * edge, 2); // no more: the charts need their room
    m_assumptions->setGeometry(edge, row * rows, width() - 2 * edge, high);
    return high;
}

int HeadlineStrip::layoutRest(int nextTo, double from, double right)
{
    QList<double> needs;
    for (int i = nextTo; i < m_cells.size(); ++i)
        needs << minWidth(m_cells[i], m_theme.look(), i < kShown);
    const double all = std::accumulate(needs.begin(), needs.end(), 0.0);
    const bool beneath = m_theme.presentation() && all > right - from; // nothing is omitted in presentation mode
    const double x = beneath ? m_theme.px(16) : from, y = beneath ? m_theme.px(metric::headline) : 0;
    const double room = right - x - (all > right - x ? m_more->sizeHint().width() + m_theme.px(4) : 0);
    double used = 0;
    qsizetype fitting = 0;
    while (fitting < needs.size() && used + needs[fitting] <= room)
        used += needs[fitting++];
    const double extra = fitting > 0 ? std::min<double>((room - used) / static_cast<double>(fitting), m_theme.px(kMaxExtra)) : 0;
    double at = x;
    for (qsizetype i = 0; i < fitting; at += needs[i++] + extra)
        m_rects << QRectF(at, y, needs[i] + extra, m_theme.px(metric::headline));
    return beneath ? 2 : 1;
}

void HeadlineStrip::resizeEvent(QResizeEvent* /*event*/)
{
    layoutCells();
}

QString HeadlineStrip::tipAt(const QPoint& at) const
{
    const ShownScenario* s = m_workspace.context().current();
    if (m_badgeRect.contains(at))
        return m_badge.reasons.join(u'\n');
    if (s && at.x() < m_ownWidth && at.y() < m_theme.px(metric::headline)) {
        const ShownScenario* baseline = m_workspace.context().baseline();
        QStringList lines{m_answer, s->name};
        if (m_answerIsStale)
            lines.insert(1, tr("Not of the present input: it is being computed, or has something to fix."));
        if (!s->isBaseline && baseline)
            lines << tr("compared with %1").arg(baseline->name);
        return (lines << plainText(m_lines.third.value(0))).join(u'\n');
    }
    const HeadlineCell* cell = cellAt(at);
    if (!cell)
        return {};
    QStringList lines{cell->reading()};
    if (s && s->snapshot)
        lines << format::samplesAndSeed(static_cast<std::int64_t>(s->snapshot->across.samples), s->snapshot->seed, tr("95 % interval"));
    if (!cell->model.isEmpty())
        lines << tr("±: what more samples would narrow. Model: an error that they do not narrow (%1).")
                     .arg(QString::fromStdString(bandSource(*s->snapshot->costed)));
    if (cell->key.startsWith(u"step_time_s"_s) && !m_systems.sentence.isEmpty())
        lines << m_systems.sentence;
    if (!cell->delta.isEmpty())
        lines << tr("Click: which edits moved it.");
    return lines.join(u'\n');
}

const HeadlineCell* HeadlineStrip::cellAt(const QPoint& at) const
{
    for (int i = 0; i < m_rects.size() && i < m_cells.size(); ++i)
        if (m_rects[i].contains(at))
            return &m_cells[i];
    return nullptr;
}

QString HeadlineStrip::metricAt(const QPoint& at) const
{
    const HeadlineCell* cell = cellAt(at);
    return cell ? cell->key : QString();
}

bool HeadlineStrip::hasChangeAt(const QPoint& at) const
{
    const HeadlineCell* cell = cellAt(at);
    return cell && !cell->delta.isEmpty();
}

void HeadlineStrip::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && hasChangeAt(event->position().toPoint()))
        Q_EMIT whyRequested();
}

void HeadlineStrip::mouseMoveEvent(QMouseEvent* event)
{
    setCursor(hasChangeAt(event->position().toPoint()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void HeadlineStrip::contextMenuEvent(QContextMenuEvent* event)
{
    const QString key = metricAt(event->pos());
    if (key.isEmpty())
        return;
    QMenu menu;
    menu.addAction(tr("Explain this value"), this, [this, key] { Q_EMIT metricRequested(key); });
    menu.exec(event->globalPos());
}

bool HeadlineStrip::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (const QString tip = tipAt(help->pos()); !tip.isEmpty()) {
            QToolTip::showText(help->globalPos(), plainTip(tip), this);
            return true;
        }
    }
    return QWidget::event(event);
}

void HeadlineStrip::paintEvent(QPaintEvent* /*event*/)
{
    ++m_paints;
    QPainter p(this);
    const Look& look = m_theme.look();
    p.fillRect(rect(), look[Role::panel]);
    p.fillRect(QRect(0, 0, width(), 1), look[Role::separator]);
    p.fillRect(QRect(0, height() - 1, width(), 1), look[Role::separator]);
    const int row = look.px(metric::headline);
    p.fillRect(QRect(m_ownWidth, look.px(10), 1, row - look.px(20)), look[Role::separator]);
    paintScenario(p, QRectF(look.px(16), 0, m_ownWidth - look.px(kAroundOwn), row));
    for (int i = 0; i < m_rects.size() && i < m_cells.size(); ++i)
        paintCell(p, m_rects[i], m_cells[i], i < kShown);
}

void HeadlineStrip::paintScenario(QPainter& p, const QRectF& rect)
{
    const Look& look = m_theme.look();
    const ShownScenario* s = m_workspace.context().current();
    if (!s)
        return;
    paintAnswer(p, QRectF(rect.left(), look.px(6), rect.width(), look.px(42)));
    const QRectF line(rect.left(), look.px(50), rect.width(), look.px(18));
    const double badge = m_badge.label.isEmpty() ? 0 : paintBadge(p, line);
    drawSeriesSample(p, QRectF(line.left(), line.top(), look.px(22), line.height()), look, s->colour, s->isBaseline);
    drawRuns(p, line.adjusted(look.px(28), 0, -badge, 0), {{s->name, Type::smallStrong, Role::text, false, true}}, look);
    const QRectF under(rect.left(), look.px(69), rect.width(), look.px(18));
    const double used = drawRuns(p, under, m_lines.second, look);
    const QRectF rest = under.adjusted(used + look.px(12), 0, 0, 0);
    if (const TextRuns third = firstThatFits(m_lines.third, look, rest.width()); widthOf(third, look) <= rest.width())
        drawRuns(p, rest, third, look, s->stale);
}

void HeadlineStrip::paintAnswer(QPainter& p, const QRectF& rect) const
{
    const Look& look = m_theme.look();
    QStringList names;
    for (const ShownScenario& s : m_workspace.context().scenarios)
        names << s.name;
    std::sort(names.begin(), names.end(), [](const QString& a, const QString& b) { return a.size() > b.size(); }); // one may begin another
    constexpr double kNames[] = {1e6, 240, 120}; // long names give way before the end of the sentence does
    p.setPen(look[m_answerIsStale ? Role::textTertiary : Role::text]);
    for (const double widest : kNames) {
        QString text = m_answer;
        for (const QString& name : std::as_const(names))
            text.replace(name, elidedAmong(name, names, QFontMetricsF(look.font(Type::body)), look.pxF(widest)));
        text = withUnbrokenMetrics(text);
        for (const Type type : {Type::title, Type::bodyStrong, Type::smallStrong}) {
            p.setFont(look.font(type));
            const bool isLast = widest == kNames[2] && type == Type::smallStrong;
            if (isLast || QFontMetricsF(p.font()).boundingRect(rect, Qt::TextWordWrap, text).height() <= rect.height())
                return p.drawText(rect, Qt::TextWordWrap | Qt::AlignLeft | Qt::AlignVCenter, text);
        }
    }
}

QString HeadlineStrip::badgeText() const
{
    const auto more = m_badge.reasons.size() - 1;
    return more > 0 ? tr("%1 +%2").arg(m_badge.label).arg(more) : m_badge.label;
}

double HeadlineStrip::badgeWidth() const
{
    const Look& look = m_theme.look();
    return m_badge.label.isEmpty() ? 0 : QFontMetricsF(look.font(Type::tickStrong)).horizontalAdvance(badgeText()) + look.px(24);
}

double HeadlineStrip::paintBadge(QPainter& p, const QRectF& line)
{
    const Look& look = m_theme.look();
    const QFont font = look.font(Type::tickStrong);
    const double width = badgeWidth() - look.px(8); // a gap is before it
    m_badgeRect = QRectF(line.right() - width, line.top(), width, line.height());
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(Qt::NoPen);
    p.setBrush(look[m_badge.impossible ? Role::errorFill : Role::warningFill]);
    p.drawRoundedRect(m_badgeRect, look.px(metric::radius), look.px(metric::radius));
    p.setFont(font);
    p.setPen(look[m_badge.impossible ? Role::error : Role::warning]);
    p.drawText(m_badgeRect, Qt::AlignCenter, badgeText());
    return badgeWidth();
}

void HeadlineStrip::paintCell(QPainter& p, const QRectF& rect, const HeadlineCell& cell, bool large) const
{
    const Look& look = m_theme.look();
    const auto line = [&](double top, double height) {
        return QRectF(rect.left(), rect.top() + look.px(top), rect.width() - look.px(6), look.px(height));
    };
    drawRuns(p, line(8, 18), {{cell.label, Type::tick, Role::textSecondary}}, look);
    drawRuns(p, large ? line(24, 30) : line(27, 26),
             {{cell.number, large ? Type::headline : Type::value, Role::text, cell.struck},
              {cell.unit.isEmpty() ? QString() : u" "_s + cell.unit, Type::small, Role::textSecondary, cell.struck}},
             look, cell.stale || cell.struck);
    const double room = line(0, 0).width();
    QList<TextRuns> under;
    if (!cell.delta.isEmpty())
        under << TextRuns{{firstThatFits(changeForms(cell.delta), look, Type::tickStrong, room), Type::tickStrong, cell.deltaRole}};
    const bool notice = cell.stale && cell.staleNote != tr("computing");
    if (cell.stale)
        under << TextRuns{{cell.staleNote, Type::tick, notice ? Role::warning : Role::textTertiary}};
    else if (under.isEmpty() && !cell.model.isEmpty()) // room for two lines
        under << TextRuns{{cell.note, Type::tick, cell.noteRole}} << TextRuns{{cell.model, Type::tick, Role::textTertiary}};
    else
        under << TextRuns{{firstThatFits(errorForms(cell), look, Type::tick, room), Type::tick, cell.noteRole}};
    for (int i = 0; i < under.size(); ++i)
        drawRuns(p, line(54 + 16 * i, 16), under[i], look, cell.stale && !notice);
}

} // namespace prism::ui
