// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/jobbar.h"

#include "core/engine/verdict.h"
#include "ui/look/format.h"
#include "ui/theme/plaintext.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

constexpr int kMessageMs = 4000;
constexpr double kShownFromSeconds = 2.0; ///< shorter work needs no estimate

bool isImpossible(const ScenarioResult& result)
{
    return result.shown && !verdictOf(*result.shown).possible();
}

} // namespace

JobBar::JobBar(Workspace& workspace, const Theme& theme, QWidget* parent) : QWidget(parent), m_workspace(workspace), m_theme(theme)
{
    setObjectName(u"jobBar"_s);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(theme.px(32), 1, theme.px(16), 0);
    layout->setSpacing(theme.px(16));
    m_state = plainLabel();
    m_edit = plainLabel({}, u"secondary"_s);
    m_edit->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_job = plainLabel({}, u"secondary"_s);
    m_progress = new QProgressBar;
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_progress->setFixedWidth(theme.px(160));
    m_progress->setAccessibleName(tr("Progress of the running job"));
    m_cancel = new QPushButton(tr("Cancel"));
    layout->addWidget(m_state);
    layout->addWidget(m_edit, 1);
    layout->addWidget(m_job);
    layout->addWidget(m_progress);
    layout->addWidget(m_cancel);
    const auto size = [this] { setFixedHeight(m_theme.px(metric::jobBar)); };
    connect(&theme, &Theme::changed, this, size);
    size();
    follow();
    refresh();
}

void JobBar::follow()
{
    m_message.setSingleShot(true);
    m_message.setInterval(kMessageMs);
    connect(&m_message, &QTimer::timeout, this, &JobBar::refresh);
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        if (!m_fileJob.isEmpty())
            Q_EMIT fileJobCancelled();
        else if (shownState() == PageState::cancelled)
            m_workspace.recompute();
        else if (m_workspace.bridge().isBusy())
            m_workspace.bridge().cancel();
        else
            m_workspace.insights().cancelAll();
    });
    connect(&m_workspace, &Workspace::contextChanged, this, &JobBar::refresh);
    connect(&m_workspace.bridge(), &EngineBridge::busyChanged, this, &JobBar::refresh);
    connect(&m_workspace.bridge(), &EngineBridge::costChanged, this, &JobBar::refresh);
    InsightRunner& insights = m_workspace.insights();
    connect(&insights, &InsightRunner::started, this, [this](const QString& key, const QString& title) {
        m_jobKey = key;
        m_jobTitle = title;
        m_jobText.clear();
        m_progress->setValue(0);
        m_jobClock.start();
        refresh();
    });
    connect(&insights, &InsightRunner::progress, this, [this](const QString& key, double share, const QString& text) {
        if (key != m_jobKey)
            return;
        m_progress->setValue(static_cast<int>(share * 1000));
        m_jobText = text;
        refresh();
    });
    connect(&insights, &InsightRunner::finished, this, [this] {
        m_jobKey.clear();
        refresh();
    });
}

void JobBar::showMessage(const QString& message)
{
    m_message.start();
    m_edit->setText(message);
}

void JobBar::setFileJob(const QString& text)
{
    m_fileJob = text;
    refresh();
}

PageState JobBar::shownState() const
{
    const ShownScenario* current = m_workspace.context().current();
    const PageState steps = m_workspace.bridge().isBusy() ? PageState::computing : stateOf(current);
    if (current && steps == PageState::current && !m_workspace.fieldProblems(current->id).isEmpty())
        return PageState::invalid; // a field holds what could not be taken over
    if (steps != PageState::current || !m_pageState)
        return steps == PageState::empty ? PageState::current : steps;
    return m_pageState();
}

QString JobBar::stateText() const
{
    return m_state->text();
}

void JobBar::refresh()
{
    const bool busy = m_workspace.bridge().isBusy();
    const ScenarioResult& current = m_workspace.bridge().result(m_workspace.context().currentId);
    const PageState shown = shownState();
    m_state->setText(shown == PageState::current && isImpossible(current) ? tr("Does not fit") : wordOf(shown));
    m_state->setAccessibleName(m_state->text());
    m_state->setCursor(shown == PageState::invalid ? Qt::PointingHandCursor : Qt::ArrowCursor);
    m_state->setToolTip(shown == PageState::invalid ? tr("Show the field that has something to fix") : QString());
    const EvaluationCost& cost = m_workspace.bridge().lastCost();
    if (!m_message.isActive())
        m_edit->setText(cost.totalNodes > 0 ? tr("recomputed %1 of %2 nodes, %3")
                                                  .arg(format::count(cost.recomputedNodes), format::count(cost.totalNodes),
                                                       format::seconds(cost.elapsedSeconds).text())
                                            : QString());
    const bool insight = !m_jobKey.isEmpty(), file = !m_fileJob.isEmpty();
    if (file) {
        m_job->setText(m_fileJob);
    } else if (busy) {
        const ShownScenario* s = m_workspace.context().current();
        const auto n = s && s->snapshot ? static_cast<std::int64_t>(s->snapshot->across.samples) : 0;
        const EngineBridge& bridge = m_workspace.bridge();
        QString text = bridge.precision() > 0
                           ? tr("Step times, %1 samples, until p95 is within ± %2 %")
                                 .arg(format::count(n), format::number(100 * bridge.precision(), 2))
                           : tr("Step times, %1 of %2 samples")
                                 .arg(format::count(s && s->stale ? n : bridge.samples()), format::count(bridge.samples()));
        if (const double seconds = m_workspace.bridge().estimatedSeconds(); seconds > kShownFromSeconds)
            text += tr(", about %1 of CPU").arg(format::seconds(seconds).text());
        m_job->setText(text);
    } else if (insight) {
        QString text = m_jobTitle;
        if (!m_jobText.isEmpty())
            text += u", "_s + m_jobText;
        m_job->setText(text + u", "_s + format::seconds(static_cast<double>(m_jobClock.elapsed()) / 1000).text());
    }
    m_job->setVisible(file || busy || insight);
    m_progress->setVisible(insight && !busy && !file);
    m_cancel->setVisible(file || busy || insight || shown == PageState::cancelled);
    m_cancel->setText(shown == PageState::cancelled && !file ? tr("Compute") : tr("Cancel"));
    update();
}

void JobBar::mousePressEvent(QMouseEvent* event)
{
    if (shownState() == PageState::invalid && m_state->geometry().contains(event->pos()))
        Q_EMIT problemClicked();
}

void JobBar::paintEvent(QPaintEvent* /*event*/)
{
    QPainter p(this);
    p.fillRect(rect(), m_theme.color(Role::window));
    p.fillRect(QRect(0, 0, width(), 1), m_theme.color(Role::separator));
    p.setRenderHint(QPainter::Antialiasing);
    const ScenarioResult& current = m_workspace.bridge().result(m_workspace.context().currentId);
    p.setPen(Qt::NoPen);
    const PageState shown = shownState();
    p.setBrush(m_theme.color(isUnderWay(shown)                                           ? Role::accent
                             : shown == PageState::invalid || shown == PageState::failed ? Role::error
                             : shown == PageState::cancelled                             ? Role::warning
                             : isImpossible(current)                                     ? Role::error
                                                                                         : Role::good));
    p.drawEllipse(QPointF(m_theme.px(20), height() / 2.0), m_theme.look().pxF(4), m_theme.look().pxF(4));
}

} // namespace prism::ui
