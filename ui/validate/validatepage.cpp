// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/validate/validatepage.h"

#include "core/insight/validate/samplelog.h"
#include "ui/findings/measuredchange.h"
#include "ui/look/format.h"
#include "ui/pages/card.h"
#include "ui/pages/dropzone.h"
#include "ui/pages/twocolumns.h"
#include "ui/theme/rescale.h"
#include "ui/theme/plaintext.h"
#include "ui/theme/barelayout.h"

#include <QCheckBox>
#include <QCryptographicHash>
#include <QFrame>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

QString bounded(const QString& name, const Bounded& b, double scale, const QString& unit)
{
    return QObject::tr("%1: %2 %3 (%4 to %5)")
        .arg(name, format::number(b.value * scale, 2), unit, format::number(b.low * scale, 2), format::number(b.high * scale, 2));
}

} // namespace

ValidatePage::ValidatePage(const Theme& theme, QWidget* parent)
    : InsightPage(theme, parent),
      m_open(new QPushButton(tr("Open a log…"))),
      m_calibrate(new QPushButton(tr("Calibrate to this"))),
      m_follow(new QPushButton(tr("Follow"))),
      m_warmUp(new QCheckBox),
      m_pauses(new QCheckBox),
      m_shifts(new QCheckBox),
      m_sentence(plainLabel()),
      m_recognised(plainLabel()),
      m_causes(cardText(u"small"_s)),
      m_calibrated(cardText(u"tick"_s, u"tertiary"_s)),
      m_followed(plainLabel()),
      m_note(new QFrame),
      m_curves(new StepCurveChart(theme)),
      m_quantiles(new QuantileChart(theme)),
      m_series(new SeriesChart(theme)),
      m_verdicts(new QFrame),
      m_causesCard(new QFrame),
      m_table(new QTableWidget),
      m_log(new FollowedLog(this)),
      m_change(new ChangeCard(theme, tr("log")))
{
    buildTools();
    buildNote(theme);
    buildVerdicts();
    m_drop = new DropZone(theme, {tr("Drop a training log here"),
                                  tr("Megatron-LM, MLPerf, NeMo, DeepSpeed, torchtitan, CSV or JSON lines"),
                                  tr("Open a log…"),
                                  tr("A log of 1,900 steps that is made from this scenario with other random numbers"),
                                  {tr("The log is read on this computer; nothing is sent anywhere."),
                                   tr("It is compared with the prediction: mean, p50, p95 and p99, each with its interval."),
                                   tr("Calibrate adds a scenario with the measured level and spread, if you want it.")}});
    connect(m_drop, &DropZone::openRequested, this, &ValidatePage::openRequested);
    connect(m_drop, &DropZone::sampleRequested, this, &ValidatePage::openSample);
    m_content = new QWidget;
    auto* both = new QWidget;
    auto* places = new QVBoxLayout(both);
    places->setContentsMargins(0, 0, 0, 0);
    places->addWidget(m_drop);
    places->addWidget(m_content);
    auto* layout = bareLayout<QVBoxLayout>(m_content, theme.px(metric::cardGap));
    layout->addWidget(m_note);
    m_distributions = new TwoColumns({m_curves, 3}, {m_quantiles, 2}, theme.px(metric::cardGap));
    layout->addWidget(m_distributions, 5);
    layout->addWidget(m_series, 4);
    layout->addWidget(m_verdicts);
    layout->addWidget(m_change, 5);
    setCards(both, buildCauses(), 0.22);
    keepColumnsFitted(*m_table, theme);
    connect(&theme, &Theme::changed, this, &ValidatePage::refreshTable); // verdicts have colours
    setExported({m_curves, m_quantiles, m_series});
    m_curves->setObjectName(u"heldCurves"_s);
    m_series->setObjectName(u"heldSeries"_s);
    m_quantiles->setObjectName(u"heldQuantiles"_s);
    refresh();
}

void ValidatePage::buildNote(const Theme& theme)
{
    m_note->setProperty("message", u"note"_s);
    auto* note = new QVBoxLayout(m_note);
    note->setContentsMargins(theme.px(12), theme.px(8), theme.px(12), theme.px(8));
    m_sentence->setWordWrap(true);
    m_sentence->setProperty("type", u"strong"_s);
    m_recognised->setWordWrap(true);
    m_recognised->setProperty("type", u"tick"_s);
    m_recognised->setProperty("role", u"secondary"_s);
    note->addWidget(m_sentence);
    note->addWidget(m_recognised);
    m_followed->setWordWrap(true);
    m_followed->hide();
    note->addWidget(m_followed);
}

void ValidatePage::buildVerdicts()
{
    m_table->setObjectName(u"verdicts"_s);
    m_table->setAccessibleName(tr("Errors of the prediction with their intervals and noise floors"));
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setShowGrid(false);
    m_table->verticalHeader()->hide();
    wrapCells(*m_table, theme()); // a verdict is a sentence
    showAllRows(*m_table);
    m_verdicts->setProperty("card", true);
    auto* cardLayout = new QVBoxLayout(m_verdicts);
    cardLayout->setContentsMargins(1, 1, 1, 1);
    cardLayout->addWidget(m_table);
}

void ValidatePage::buildTools()
{
    auto* label = plainLabel(tr("Omitted"), u"secondary"_s);
    m_warmUp->setChecked(true);
    m_pauses->setChecked(true);
    m_follow->setCheckable(true);
    m_follow->setToolTip(tr("Keep reading the log while it grows, and place each new step in the predicted distribution"));
    addTools({m_open, m_follow, m_change->tool()});
    connect(m_change, &ChangeCard::chooseRequested, this, &ValidatePage::compareRequested);
    connect(m_change, &ChangeCard::endRequested, this, [this] { compareWith({}); });
    connect(m_follow, &QPushButton::clicked, this, [this](bool on) { m_follow->setChecked(follow(on) && on); });
    connect(m_log, &FollowedLog::advanced, this, &ValidatePage::take);
    addTools({label, m_warmUp, m_pauses, m_shifts});
    connect(m_open, &QPushButton::clicked, this, &ValidatePage::openRequested);
    for (QCheckBox* box : {m_warmUp, m_pauses, m_shifts})
        connect(box, &QCheckBox::toggled, this, [this] {
            ask();
            refresh();
        });
}

QWidget* ValidatePage::buildCauses()
{
    QVBoxLayout* layout = makeCard(*m_causesCard, theme());
    layout->addWidget(cardText(u"title"_s, {}, tr("Causes in the log")));
    layout->addWidget(m_causes);
    layout->addStretch(1);
    layout->addWidget(m_calibrated);
    m_calibrate->setProperty("kind", u"primary"_s);
    m_calibrate->setToolTip(tr("Adds a scenario with the level, jitter, regime and stalls that the log shows"));
    layout->addWidget(m_calibrate);
    showWhileEditable(*m_calibrate, theme());
    connect(m_calibrate, &QPushButton::clicked, this, &ValidatePage::calibrate);
    return m_causesCard;
}

void ValidatePage::openLog(const QString& name, const std::string& text, const QString& path)
{
    follow(false);
    m_name = name;
    m_path = path;
    setText(text);
    compareWith({});
}

void ValidatePage::compareWith(const QString& path)
{
    m_change->setAfter(path);
    ask();
    refresh();
}

void ValidatePage::openSample()
{
    const SnapshotPtr s = snapshot();
    if (!s || !context().evaluator)
        return;
    const auto taken = [this] {
        if (const std::string* text = m_sample.value())
            openLog(tr("Sample log, made from the scenario"), *text);
        showWaiting();
    };
    const ResultToken requested = token(u"samplelog"_s);
    const bool isKnown = m_sample.value() && m_sample.shown() == requested;
    m_sample.ask(
        context().insights, this, requested, tr("Making a sample log"),
        [evaluator = context().evaluator, s](const InsightOptions& options) { return sampleLog(*evaluator, s->scenario, options); }, taken);
    if (isKnown)
        taken();
}

void ValidatePage::showWaiting()
{
    const bool waits = !m_text;
    m_drop->setVisible(waits);
    m_content->setVisible(!waits);
    m_drop->setProblem(m_sample.error());
    m_drop->sample().setEnabled(snapshot() != nullptr);
    for (QWidget* tool : {static_cast<QWidget*>(m_open->parentWidget()), static_cast<QWidget*>(m_warmUp->parentWidget())})
        tool->setVisible(!waits);
}

void ValidatePage::setText(std::string text)
{
    const QByteArrayView bytes(text.data(), static_cast<qsizetype>(text.size()));
    m_digest = QString::fromLatin1(QCryptographicHash::hash(bytes.toByteArray(), QCryptographicHash::Sha256).toHex().left(16));
    m_text = std::make_shared<const std::string>(std::move(text));
}

bool ValidatePage::follow(bool on)
{
    m_log->stop();
    m_alarms.clear();
    m_followed->hide();
    if (on && !m_path.isEmpty())
        m_log->start(m_path, snapshot());
    m_follow->setChecked(m_log->isRunning());
    return m_log->isRunning() == on;
}

void ValidatePage::take(const LogAdvance& news)
{
    m_alarms += news.alarms;
    constexpr int kReported = 3;
    QStringList lines{news.sentence};
    lines += m_alarms.mid(std::max<qsizetype>(0, m_alarms.size() - kReported));
    m_followed->setText(lines.join(u'\n'));
    restyle(m_followed, "role", m_alarms.isEmpty() ? u"secondary"_s : u"warning"_s);
    m_followed->show();
    if (m_held.isComputing())
        return; // the charts take the next one
    setText(news.text);
    ask();
    refresh();
}

void ValidatePage::ask()
{
    if (!m_text)
        return;
    m_change->ask(
        context().insights, m_digest,
        [before = m_text, after = m_change->after()](const InsightOptions& options) { return logChangesOf(*before, after, options); },
        [this] { refresh(); });
    const ExcludedSteps leave{m_warmUp->isChecked(), m_pauses->isChecked(), m_shifts->isChecked()};
    const std::size_t samples = snapshot() ? snapshot()->within.samples : 0;
    request(m_held, token(u"validate/%1/%2%3%4/%5"_s.arg(m_digest).arg(leave.warmUp).arg(leave.pauses).arg(leave.shifts).arg(samples)),
            tr("Comparing the log with the prediction"),
            [text = m_text, leave](Evaluator& evaluator, const Snapshot& s, InsightOptions options) {
                options.samples = static_cast<int>(s.within.samples);
                return logComparison(evaluator, s.scenario, *text, leave, options);
            });
}

void ValidatePage::contextChanged()
{
    ask();
    refresh();
}

void ValidatePage::calibrate()
{
    const SnapshotPtr s = snapshot();
    if (!m_text || !s || !context().evaluator || !isCurrent(m_held))
        return;
    m_wantsFit = true;
    const auto evaluator = context().evaluator;
    const QString name = m_name;
    const ResultToken requested = token(u"fit/%1"_s.arg(m_digest));
    m_fit.ask(
        context().insights, this, requested, tr("Fitting the scenario to the log"),
        [evaluator, s, text = m_text](const InsightOptions& options) { return fitOf(*evaluator, s->scenario, *text, options); },
        [this, name, from = context().currentId] { addCalibrated(name, from); });
    if (m_fit.value() && m_fit.shown() == requested) // known from before
        addCalibrated(name, context().currentId);
    refresh();
}

void ValidatePage::addCalibrated(const QString& name, int from)
{
    const RunFit* fit = m_fit.value();
    StudyModel* study = context().study;
    if (!fit || !m_wantsFit || !study)
        return refresh();
    m_wantsFit = false;
    for (const ShownScenario& s : context().scenarios)
        if (s.hash == fit->fitted.hash())
            return study->setCurrent(s.id); // it is in the study already
    Scenario fitted = fit->fitted;
    fitted.name = study->freeName(tr("%1, calibrated").arg(QString::fromStdString(fitted.name))).toStdString();
    fitted.note = tr("fitted to %1").arg(name).toStdString();
    study->addScenario(std::move(fitted), tr("Calibrate to %1").arg(name), from);
    refresh();
}

void ValidatePage::refreshCharts()
{
    const LogComparison* held = m_held.value();
    const int series = scenario() ? scenario()->colour : 0;
    StepCurves curves;
    QuantileData quantiles;
    SeriesData steps;
    ChartText curveText, quantileText, seriesText;
    curveText.title = tr("Measured against predicted");
    quantileText.title = tr("Quantile by quantile");
    seriesText.title = tr("Step by step");
    if (held) {
        curveText.subtitle = tr("One median job of this scenario, seed %1").arg(held->seed);
        quantileText.subtitle = tr("Parallel to the line: the level is off. Steeper: a longer tail.");
        curves.curves = {{u"predicted"_s, tr("Predicted"), series, false, false, false, {}, held->predicted},
                         {u"measured"_s,
                          tr("Measured, %1 steps").arg(format::count(held->comparison.steps)),
                          0,
                          false,
                          true,
                          false,
                          {},
                          held->measured}};
        curves.markedShare = 0.95;
        quantiles = {held->quantiles, series};
        steps = {held->series, held->shiftNumbers, held->predictedP5, held->predictedP95, series};
    }
    m_curves->setData(curves);
    m_quantiles->setData(quantiles);
    m_series->setData(steps);
    m_curves->setText(curveText);
    m_quantiles->setText(quantileText);
    m_series->setText(seriesText);
    const auto status = [this] {
        InsightStatus now = m_held.status();
        if (!m_text)
            now.hasAnswer = now.isCurrent = true; // nothing was requested
        return now;
    };
    for (PlotBase* chart : std::initializer_list<PlotBase*>{m_curves, m_quantiles, m_series}) {
        present({chart, status, tr("Reading the log"), m_text ? QString() : tr("No log is open.")});
    }
    for (QFrame* card : {static_cast<QFrame*>(m_drop), m_note, m_verdicts, m_causesCard})
        present({card, status});
    present({m_change, [this] { return m_change->status(); }});
    for (QWidget* ofThePrediction : {m_distributions, static_cast<QWidget*>(m_verdicts)})
        ofThePrediction->setVisible(!m_change->isOn());
    m_sentence->setVisible(!m_change->isOn() && !m_sentence->text().isEmpty());
    m_change->refresh(m_name);
}

void ValidatePage::refreshTable()
{
    const LogComparison* held = m_held.value();
    const QStringList header{QString(), tr("Measured"), tr("Predicted"), tr("Error"), tr("95 %"), tr("Noise floor"), tr("Verdict")};
    m_table->setColumnCount(static_cast<int>(header.size()));
    m_table->setHorizontalHeaderLabels(header);
    alignHeadings(*m_table, {0, static_cast<int>(header.size()) - 1});
    const QList<Judged> rows = held ? judgements(*held) : QList<Judged>{};
    m_table->setRowCount(static_cast<int>(rows.size()));
    for (int r = 0; r < rows.size(); ++r) {
        const Judged& row = rows[r];
        const bool good = row.verdict == Judged::Verdict::right || row.verdict == Judged::Verdict::within;
        const QStringList cells{
            row.name, row.measured, row.predicted, row.error, row.interval, row.floor, (good ? u"✓ "_s : u"△ "_s) + row.words};
        for (int c = 0; c < cells.size(); ++c) {
            auto* item = new QTableWidgetItem(cells[c]);
            item->setTextAlignment((c == 0 || c == cells.size() - 1 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
            item->setToolTip(c == cells.size() - 1 ? row.explained : cells[c]);
            if (c == cells.size() - 1)
                item->setForeground(theme().color(good ? Role::good : Role::bad));
            m_table->setItem(r, c, item);
        }
    }
    m_table->resizeColumnsToContents();
    m_table->horizontalHeader()->setSectionResizeMode(static_cast<int>(header.size()) - 1, QHeaderView::Stretch);
}

void ValidatePage::refreshCauses()
{
    const LogComparison* held = m_held.value();
    QStringList lines;
    if (held) {
        const SpreadCauses& c = held->causes;
        lines << bounded(tr("Step jitter"), c.jitterSeconds, 1000, u"ms"_s);
        if (c.regimeCv.value > 0)
            lines << bounded(tr("Compute regime"), c.regimeCv, 100, u"%"_s);
        const auto [low, high] = held->expectedStalls;
        const QString range = low < high ? tr("%1 to %2").arg(low).arg(high) : QString::number(low);
        const QString seen = tr("Stalls: %1 in %2 GPU-hours, predicted %3").arg(c.stalls).arg(format::number(c.gpuHours)).arg(range);
        lines << (c.stalls > 0
                      ? seen
                      : tr("%1. At most one in %2 GPU-hours is possible").arg(seen, format::number(1 / c.stallsPerGpuHour.high, 2)))
              << tr("Persistence, step to step: %1, predicted %2")
                     .arg(format::number(held->comparison.lag1, 2), format::number(held->comparison.predictedLag1, 2));
        for (const std::vector<std::string>& notes : {c.notes, held->comparison.notes})
            for (const std::string& text : notes)
                lines << format::sentence(QString::fromStdString(text));
        for (QString& line : lines)
            line.replace(0, 1, line.left(1).toUpper());
    }
    m_causes->setText(lines.join(u"\n\n"_s));
    const QString error = m_fit.error();
    m_calibrated->setText(m_fit.isComputing() ? tr("Fitting…") : error);
    m_follow->setEnabled(!m_path.isEmpty() && snapshot() != nullptr);
}

void ValidatePage::refresh()
{
    const LogComparison* held = m_held.value();
    const int* out = held ? held->excluded : nullptr;
    m_warmUp->setText(out ? tr("Warm-up: %1").arg(out[0]) : tr("Warm-up"));
    m_pauses->setText(out ? tr("After pauses: %1").arg(out[1]) : tr("After pauses"));
    m_shifts->setText(held ? tr("Level shifts: %1").arg(held->shiftNumbers.size()) : tr("Level shifts"));
    m_sentence->setText(m_held.error()); // the verdict is the page's answer, at the top
    QString recognised;
    if (held) {
        QStringList parts{m_name + u": "_s + QString::fromStdString(reportText(held->log)).trimmed().replace(u'\n', u". "_s)};
        parts << tr("%1 steps compared, %2 omitted").arg(format::count(held->comparison.steps), format::count(held->comparison.dropped));
        if (!held->systems->systems.empty()) {
            const auto percent = [](double over) { return format::number(100 * (over - 1), 2); };
            const OverSystems& over = held->systems->p95OverP50;
            parts << tr("p95 lies %1 % above p50; on nine of ten systems like this %2 to %3 %")
                         .arg(percent(held->comparison.measured.p95), percent(over.low), percent(over.high));
        }
        recognised = parts.join(u". "_s);
    }
    m_recognised->setText(recognised);
    showWaiting();
    showSide(m_text != nullptr && !m_change->isOn());
    refreshCharts();
    refreshTable();
    refreshCauses();
    statesShown();
}

void ValidatePage::statesShown()
{
    m_calibrate->setEnabled(isCurrent(m_held) && !m_fit.isComputing());
}

TableData ValidatePage::asTable() const
{
    if (m_change->report())
        return m_change->asTable();
    TableData table;
    table.header = {u"figure"_s, u"measured"_s, u"predicted"_s, u"error"_s, u"interval 95 %"_s, u"noise floor"_s, u"verdict"_s};
    if (const LogComparison* held = m_held.value())
        for (const Judged& row : judgements(*held))
            table.rows << QStringList{
                row.name, row.measured, row.predicted, row.error, row.interval, row.floor, row.words + u". "_s + row.explained};
    return table;
}

QString ValidatePage::answer() const
{
    if (m_change->report())
        return changeSentence(*m_change->report());
    return m_held.value() ? verdictSentence(*m_held.value()) : m_text ? QString() : tr("Is the model right? Drop a log to see.");
}

} // namespace prism::ui
