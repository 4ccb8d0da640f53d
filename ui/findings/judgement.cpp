// SPDX-License-Identifier: GPL-3.0-or-later
// The verdicts on a prediction that was compared with a log, in words.
#include "ui/findings/logcomparison.h"
#include "ui/look/format.h"

#include <QObject>

#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

/// "+1.3": in percent, to 0.01.
QString errorNumber(double share)
{
    return format::signedNumber(std::round(1e4 * share) / 100, 2);
}

/// Errors are predicted less measured: a negative one means that the model was too fast or too uniform.
struct Words {
    QString low, high, explainedLow, explainedHigh;
};

void judge(Judged& row, const MetricError& e, const Words& words)
{
    row.floor = u"± %1"_s.arg(format::number(100 * e.halves, 2));
    row.interval = QObject::tr("%1 to %2").arg(format::signedNumber(100 * e.low, 2), format::signedNumber(100 * e.high, 2));
    if (std::abs(e.error) <= e.halves) {
        row.verdict = Judged::Verdict::within;
        row.words = QObject::tr("Right, within the floor");
        row.explained = QObject::tr("No farther from it than random halves of the log are from each other");
    } else if (e.low <= 0 && e.high >= 0) {
        row.verdict = Judged::Verdict::right;
        row.words = QObject::tr("Right, as far as known");
        row.explained = QObject::tr("The interval of the error contains zero: this log is too short to show a difference");
    } else {
        row.verdict = e.error < 0 ? Judged::Verdict::low : Judged::Verdict::high;
        row.words = e.error < 0 ? words.low : words.high;
        row.explained = e.error < 0 ? words.explainedLow : words.explainedHigh;
    }
}

Judged ratioRow(const QString& name, double measured, double predicted, const MetricError& e, const Words& words)
{
    Judged row;
    row.name = name;
    row.measured = format::number(measured, 4);
    row.predicted = format::number(predicted, 4);
    row.error = QObject::tr("%1 points").arg(errorNumber(e.error));
    judge(row, e, words);
    return row;
}

} // namespace

QList<Judged> judgements(const LogComparison& held)
{
    const SeriesComparison& c = held.comparison;
    const Words level{QObject::tr("Too fast"), QObject::tr("Too slow"),
                      QObject::tr("The predicted median is shorter than the measured one"),
                      QObject::tr("The predicted median is longer than the measured one")};
    const Words tail{QObject::tr("Too even"), QObject::tr("Too uneven"),
                     QObject::tr("The model's slow steps are fewer or shorter than the measured ones"),
                     QObject::tr("The model's slow steps are more or longer than the measured ones")};
    QList<Judged> rows;
    Judged median;
    median.name = u"p50"_s;
    median.measured = format::seconds(c.measuredMedianSeconds).text();
    median.predicted = format::seconds(c.predictedMedianSeconds).text();
    median.error = u"%1 %"_s.arg(errorNumber(c.p50.error));
    judge(median, c.p50, level);
    rows << median << ratioRow(u"p95 / p50"_s, c.measured.p95, c.predicted.p95, c.p95, tail)
         << ratioRow(u"p99 / p50"_s, c.measured.p99, c.predicted.p99, c.p99, tail);
    Judged beyond = ratioRow(QObject::tr("P(step > 1.05 × p50)"), c.measured.beyond, c.predicted.beyond, c.beyond, tail);
    beyond.measured = format::percent(c.measured.beyond);
    beyond.predicted = format::percent(c.predicted.beyond);
    rows << beyond;
    Judged ks;
    ks.name = QObject::tr("KS distance");
    ks.error = format::number(c.ks, 2);
    ks.interval = QObject::tr("%1 to %2").arg(format::number(c.ksLow, 2), format::number(c.ksHigh, 2));
    ks.floor = format::number(std::max(c.ksHalves, c.ksSamplingBound), 2);
    const bool probability = c.ks <= std::max(c.ksHalves, c.ksSamplingBound);
    ks.verdict = probability ? Judged::Verdict::within : Judged::Verdict::high;
    ks.words = probability ? QObject::tr("Not more than chance") : QObject::tr("Shapes differ");
    ks.explained = QObject::tr("Largest distance of the two distributions, each over its own median; floor: halves of the log, and chance");
    rows << ks;
    return rows;
}

QString verdictSentence(const LogComparison& held)
{
    const SeriesComparison& c = held.comparison;
    const QString invalid = c.p50.error < 0 ? QObject::tr("The median was %1 % too fast") : QObject::tr("The median was %1 % too slow");
    const QString level = std::abs(c.p50.error) <= c.p50.halves ? QObject::tr("The median was right (%1 %)").arg(errorNumber(c.p50.error))
                                                                : invalid.arg(format::number(100 * std::abs(c.p50.error), 2));
    const auto part = [](const MetricError& e) { return std::abs(e.error) <= e.halves || (e.low <= 0 && e.high >= 0); };
    if (part(c.p95) && part(c.p99))
        return QObject::tr("%1, and the slow steps are as predicted.").arg(level);
    if (part(c.p95))
        return QObject::tr("%1; up to p95 the spread is right, beyond it the model is too %2 (%3 points of the median at p99).")
            .arg(level, c.p99.error < 0 ? QObject::tr("even") : QObject::tr("uneven"), errorNumber(c.p99.error));
    return QObject::tr("%1; the spread is too %2: p95 is %3 points of the median off.")
        .arg(level, c.p95.error < 0 ? QObject::tr("small") : QObject::tr("large"), errorNumber(c.p95.error));
}

} // namespace prism::ui
