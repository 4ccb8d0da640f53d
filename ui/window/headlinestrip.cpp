#include "ui/window/headlinestrip.h"

#include "ui/theme/format.h"
#include "ui/theme/icons.h"

#include <QHelpEvent>
#include <QMenu>
#include <QPainter>
#include <QToolButton>
#include <QToolTip>

#include <cmath>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

Role roleOf(double delta, bool lowerIsBetter, bool known)
{
    if (!known || delta == 0)
        return Role::textSecondary;
    return (delta < 0) == lowerIsBetter ? Role::good : Role::bad;
}

QString interval(double halfWidth, const QString& unit)
{
    if (!(halfWidth > 0))
        return {};
    return unit.isEmpty() ? u"± %1"_s.arg(format::number(halfWidth, 1)) : u"± %1 %2"_s.arg(format::number(halfWidth, 1), unit);
}

/// "+25 k": a difference with the prefix that fits it.
QString signedSi(double value, const format::Quantity& magnitude)
{
    return (value < 0 ? QString(QChar(0x2212)) : value > 0 ? u"+"_s : QString()) + magnitude.text();
}

} // namespace

QString HeadlineCell::reading() const
{
    QStringList parts{label + u' ' + number + (unit.isEmpty() ? QString() : u' ' + unit)};
    for (const QString& part : {delta, note, stale ? staleNote : QString()})
        if (!part.isEmpty())
            parts << part;
    return parts.join(u", "_s);
}

QList<HeadlineCell> headlineCells(const PageContext& context, ChangesCache& cache, const ScenarioResult& result,
                                  const QStringList& fieldProblems)
{
    QList<HeadlineCell> cells;
    const ShownScenario* current = context.current();
    const ShownScenario* baseline = context.baseline();
    const QStringList labels{QObject::tr("Step time p50"), QObject::tr("Step time p95"),     QObject::tr("Step time p99"),
                             QObject::tr("Slowdown p50"),  QObject::tr("Tokens per second"), QObject::tr("MFU"),
                             QObject::tr("Peak memory"),   QObject::tr("Days to train"),     QObject::tr("Cost")};
    for (const QString& label : labels)
        cells << HeadlineCell{label, u"–"_s};
    if (!current || !current->snapshot)
        return cells;
    const Snapshot& s = *current->snapshot;
    const bool compare = baseline && baseline->snapshot && !current->isBaseline;
    const HeadlineChanges* c = compare ? &cache.changes(baseline->snapshot, current->snapshot, false) : nullptr;
    const auto time = [&](int i, double value, double ci, const HeadlineChange* change) {
        const format::Quantity q = format::seconds(value);
        cells[i].number = q.number;
        cells[i].unit = q.unit;
        cells[i].note = format::interval(ci);
        if (change) {
            cells[i].delta = u"%1, %2"_s.arg(format::percentDelta(change->relative.value), format::secondsDelta(change->delta.value));
            cells[i].deltaRole = roleOf(change->delta.value, true, change->delta.significant());
            cells[i].note = format::interval(change->delta.halfWidth);
        }
    };
    time(0, s.across.p50, s.across.ciP50, c ? &c->p50 : nullptr);
    time(1, s.across.p95, s.across.ciP95, c ? &c->p95 : nullptr);
    time(2, s.across.p99, s.across.ciP99, c ? &c->p99 : nullptr);
    cells[3].number = format::number(s.slowdownP50);
    cells[3].unit = u"×"_s;
    if (s.samples)
        cells[3].note = QObject::tr("noise-free %1").arg(format::seconds(s.samples->noiseFreeSeconds).text());
    const double share = s.across.p50 > 0 ? s.across.ciP50 / s.across.p50 : 0; // throughput moves with the median step
    const format::Quantity tokens = format::si(s.tokensPerSecond);
    cells[4].number = tokens.number;
    cells[4].unit = tokens.unit;
    if (share > 0)
        cells[4].note = u"± %1 k"_s.arg(format::number(s.tokensPerSecond * share / 1000, 1));
    cells[5].number = format::number(s.mfu * 100);
    cells[5].unit = u"%"_s;
    if (share > 0)
        cells[5].note = interval(s.mfu * share * 100, {});
    if (s.costed) {
        const format::Quantity memory = format::gib(s.costed->memory.peakGib);
        cells[6].number = memory.number;
        cells[6].unit = memory.unit;
        cells[6].note = QObject::tr("of %1, %2")
                            .arg(format::number(s.costed->memory.capacityGib),
                                 s.costed->memory.fits ? QObject::tr("fits") : QObject::tr("does not fit"));
    }
    if (s.daysToTrain > 0) {
        const format::Quantity days = format::days(s.daysToTrain);
        cells[7].number = days.number;
        cells[7].unit = days.unit;
        cells[7].note = share > 0 && days.unit == u"d" ? u"± %1 d"_s.arg(format::number(s.daysToTrain * share, 1)) : QString();
    } else {
        cells[7].note = QObject::tr("no token target");
    }
    if (s.costUsd > 0) {
        const format::Quantity cost = format::dollars(s.costUsd);
        cells[8].number = cost.number;
        cells[8].unit = cost.unit;
        cells[8].note = share > 0 && s.costUsd >= 1e6 ? u"± %1 M$"_s.arg(format::number(s.costUsd * share / 1e6, 1)) : QString();
    } else {
        cells[8].note = cells[7].note;
    }
    if (c) {
        const auto change = [&](int i, const HeadlineChange& ch, bool lowerIsBetter, const QString& text) {
            cells[i].delta = text;
            cells[i].deltaRole =
                roleOf(ch.delta.value, lowerIsBetter, ch.delta.halfWidth == 0 ? ch.delta.value != 0 : ch.delta.significant());
        };
        change(3, c->slowdownP50, true, format::signedNumber(c->slowdownP50.delta.value, 2) + u"×"_s);
        change(4, c->tokensPerSecond, false,
               u"%1, %2"_s.arg(format::percentDelta(c->tokensPerSecond.relative.value),
                               signedSi(c->tokensPerSecond.delta.value, format::si(std::abs(c->tokensPerSecond.delta.value)))));
        change(5, c->mfu, false, format::pointsDelta(c->mfu.delta.value));
        change(6, c->peakMemoryGib, true, signedSi(c->peakMemoryGib.delta.value, format::gib(std::abs(c->peakMemoryGib.delta.value))));
        if (s.daysToTrain > 0)
            change(7, c->daysToTrain, true,
                   u"%1, %2"_s.arg(format::percentDelta(c->daysToTrain.relative.value),
                                   signedSi(c->daysToTrain.delta.value, format::days(std::abs(c->daysToTrain.delta.value)))));
        if (s.costUsd > 0)
            change(8, c->costUsd, true,
                   u"%1, %2"_s.arg(format::percentDelta(c->costUsd.relative.value),
                                   signedSi(c->costUsd.delta.value, format::dollars(std::abs(c->costUsd.delta.value)))));
    }
    static const QStringList kMoneyOnly{u"training.train_tokens"_s, u"cluster.gpu_hour_price_usd"_s};
    const auto touches = [&](int i) {
        QStringList wrong = fieldProblems;
        if (result.invalid)
            for (const Diagnostic& d : result.diagnostics)
                if (d.severity == Severity::error)
                    wrong << QString::fromStdString(d.path);
        for (const QString& path : wrong)
            if (!kMoneyOnly.contains(path) || i >= 7)
                return true;
        return false;
    };
    for (int i = 0; i < cells.size(); ++i) {
        cells[i].stale = result.computing || result.cancelled || touches(i);
        cells[i].staleNote = touches(i)         ? QObject::tr("last valid input")
                             : result.cancelled ? QObject::tr("stopped")
                                                : QObject::tr("computing");
    }
    return cells;
}

HeadlineStrip::HeadlineStrip(Workspace& workspace, ChangesCache& cache, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_workspace(workspace),
      m_cache(cache),
      m_theme(theme),
      m_dockWidth(theme.px(metric::dock))
{
    setObjectName(u"headline"_s);
    setAccessibleName(tr("Figures of the current scenario"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_more = new QToolButton(this);
    m_more->setAccessibleName(tr("More figures"));
    m_more->setToolTip(tr("More figures"));
    m_more->setPopupMode(QToolButton::InstantPopup);
    m_more->setMenu(new QMenu(m_more));
    m_more->hide();
    connect(&workspace, &Workspace::contextChanged, this, &HeadlineStrip::refresh);
    const auto restyleStrip = [this] {
        setFixedHeight(m_theme.px(metric::headline));
        m_more->setIcon(icon(Icon::more, m_theme.look(), Role::textSecondary));
        layoutCells();
        update();
    };
    connect(&theme, &Theme::changed, this, restyleStrip);
    restyleStrip();
}

void HeadlineStrip::setDockWidth(int width)
{
    if (m_dockWidth == width)
        return;
    m_dockWidth = width;
    layoutCells();
    update();
}

QSize HeadlineStrip::sizeHint() const
{
    return {900, m_theme.px(metric::headline)};
}

void HeadlineStrip::refresh()
{
    const PageContext& context = m_workspace.context();
    m_cells = headlineCells(context, m_cache, m_workspace.bridge().result(context.currentId), m_workspace.fieldProblems(context.currentId));
    QStringList readings;
    for (const HeadlineCell& cell : m_cells)
        readings << cell.reading();
    setAccessibleDescription(readings.join(u"; "_s));
    layoutCells();
    update();
}

void HeadlineStrip::layoutCells()
{
    m_rects.clear();
    const double left = m_dockWidth + m_theme.px(16), right = width() - m_theme.px(8);
    const double large = m_theme.px(125), small = m_theme.px(110);
    double room = right - left - 3 * large - m_theme.px(4);
    int smallCells = std::clamp(static_cast<int>(room / small), 0, 6);
    m_more->setVisible(smallCells < 6);
    if (smallCells < 6)
        smallCells = std::clamp(static_cast<int>((room - m_theme.px(28)) / small), 0, 6);
    const double step = smallCells > 0 ? std::min(small * 1.25, (room - (smallCells < 6 ? m_theme.px(28) : 0)) / smallCells) : small;
    double x = left;
    for (int i = 0; i < 3 + smallCells; ++i) {
        const double w = i < 3 ? large : step;
        if (i == 3)
            x += m_theme.px(4);
        m_rects << QRectF(x, 0, w, height());
        x += w;
    }
    m_more->setGeometry(width() - m_theme.px(32), m_theme.px(10), m_theme.px(24), m_theme.px(24));
    if (m_more->isVisible()) {
        m_more->menu()->clear();
        for (int i = static_cast<int>(m_rects.size()); i < m_cells.size(); ++i)
            m_more->menu()->addAction(m_cells[i].reading());
    }
}

void HeadlineStrip::resizeEvent(QResizeEvent*)
{
    layoutCells();
}

bool HeadlineStrip::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        for (int i = 0; i < m_rects.size() && i < m_cells.size(); ++i)
            if (m_rects[i].contains(help->pos())) {
                const ShownScenario* s = m_workspace.context().current();
                QString text = m_cells[i].reading();
                if (s && s->snapshot)
                    text +=
                        u"\n"_s
                        + format::receipt(static_cast<std::int64_t>(s->snapshot->across.samples), s->snapshot->seed, tr("95 % interval"));
                QToolTip::showText(help->globalPos(), text, this);
                return true;
            }
    }
    return QWidget::event(event);
}

void HeadlineStrip::paintEvent(QPaintEvent*)
{
    ++m_paints;
    QPainter p(this);
    const Look& look = m_theme.look();
    p.fillRect(rect(), look[Role::panel]);
    p.fillRect(QRect(0, 0, width(), 1), look[Role::separator]);
    p.fillRect(QRect(0, height() - 1, width(), 1), look[Role::separator]);
    p.fillRect(QRect(m_dockWidth, look.px(10), 1, height() - look.px(20)), look[Role::separator]);
    paintScenario(p, QRectF(look.px(16), 0, m_dockWidth - look.px(28), height()));
    for (int i = 0; i < m_rects.size() && i < m_cells.size(); ++i) {
        if (i == 3)
            p.fillRect(QRectF(m_rects[i].left() - look.px(12), look.px(10), 1, height() - look.px(20)), look[Role::separator]);
        paintCell(p, m_rects[i], m_cells[i], i < 3);
    }
}

void HeadlineStrip::paintScenario(QPainter& p, const QRectF& rect) const
{
    const Look& look = m_theme.look();
    const PageContext& context = m_workspace.context();
    const ShownScenario* s = context.current();
    if (!s)
        return;
    drawSeriesSample(p, QRectF(rect.left(), look.px(10), look.px(30), look.px(28)), look, s->colour, s->isBaseline);
    drawRuns(p, QRectF(rect.left() + look.px(38), look.px(10), rect.width() - look.px(38), look.px(28)), {{s->name, Type::title}}, look);
    const ShownScenario* baseline = context.baseline();
    const QRectF second(rect.left(), look.px(38), rect.width(), look.px(22)), third(rect.left(), look.px(62), rect.width(), look.px(20));
    if (s->isBaseline || !baseline) {
        drawRuns(p, second, {{tr("Baseline of this study"), Type::body, Role::textSecondary}}, look);
        drawRuns(p, third, {{tr("%1 scenarios").arg(context.scenarios.size()), Type::body, Role::textSecondary}}, look);
    } else {
        drawRuns(p, second, {{tr("compared with "), Type::body, Role::textSecondary}, {baseline->name}}, look);
        if (s->snapshot && baseline->snapshot) {
            const HeadlineChanges& c = m_cache.changes(baseline->snapshot, s->snapshot, false);
            if (c.paired)
                drawRuns(p, third,
                         {{tr("Faster in "), Type::body, Role::textSecondary},
                          {plainText(shareRuns(c.probabilityFaster.value, c.probabilityFaster.halfWidth)), Type::bodyStrong},
                          {tr(" of steps"), Type::body, Role::textSecondary}},
                         look, s->stale);
        }
    }
    if (s->snapshot) {
        p.setFont(look.font(Type::tick));
        p.setPen(look[Role::textTertiary]);
        p.drawText(third, Qt::AlignRight | Qt::AlignVCenter,
                   tr("n %1, 95 %").arg(format::count(static_cast<std::int64_t>(s->snapshot->across.samples))));
    }
}

void HeadlineStrip::paintCell(QPainter& p, const QRectF& rect, const HeadlineCell& cell, bool large) const
{
    const Look& look = m_theme.look();
    const QRectF r = rect.adjusted(0, 0, -look.px(6), 0);
    drawRuns(p, QRectF(r.left(), look.px(8), r.width(), look.px(18)), {{cell.label, Type::tick, Role::textSecondary}}, look);
    const double top = look.px(large ? 24 : 27), height = look.px(large ? 30 : 26);
    drawRuns(p, QRectF(r.left(), top, r.width(), height),
             {{cell.number, large ? Type::headline : Type::value, Role::text},
              {cell.unit.isEmpty() ? QString() : u" "_s + cell.unit, Type::small, Role::textSecondary}},
             look, cell.stale);
    double y = look.px(54);
    if (!cell.delta.isEmpty()) {
        drawRuns(p, QRectF(r.left(), y, r.width(), look.px(16)), {{cell.delta, Type::tickStrong, cell.deltaRole}}, look, cell.stale);
        y += look.px(16);
    }
    const bool notice = cell.stale && cell.staleNote != tr("computing");
    drawRuns(p, QRectF(r.left(), y, r.width(), look.px(16)),
             {{cell.stale ? cell.staleNote : cell.note, Type::tick, notice ? Role::warning : Role::textTertiary}}, look);
}

} // namespace prism::ui
