// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/factscard.h"

#include "ui/look/dates.h"
#include "ui/look/format.h"
#include "ui/pages/card.h"
#include "ui/theme/plaintext.h"

#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <cmath>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

void clear(QGridLayout& grid)
{
    while (QLayoutItem* item = grid.takeAt(0)) {
        if (item->widget())
            item->widget()->deleteLater();
        delete item;
    }
}

std::pair<QString, QString> wordOf(JobAssumption::Word word)
{
    switch (word) {
    case JobAssumption::Word::published:
        return {QObject::tr("published"), u"accent"_s};
    case JobAssumption::Word::assumed:
        return {QObject::tr("assumed"), u"warning"_s};
    case JobAssumption::Word::scenario:
        return {QObject::tr("scenario"), u"secondary"_s};
    }
    return {};
}

} // namespace

QList<JobFact> jobFacts(const JobReport& job)
{
    QList<JobFact> facts;
    const auto range = [](double low, double high) { return QObject::tr("%1 to %2").arg(format::number(low), format::number(high)); };
    facts << JobFact{QObject::tr("Productive"), format::number(100 * job.effectiveRatio.value), u"%"_s,
                     range(100 * job.ratioP5, 100 * job.ratioP95)};
    if (std::isfinite(job.plan.mtbfHours)) {
        const double days = std::max(job.p50Days.value, 1e-9);
        facts << JobFact{QObject::tr("Failures"), format::number(job.failuresP50 / days, 2), QObject::tr("per day"),
                         range(job.failuresP5 / days, job.failuresP95 / days)};
    }
    const double stop = job.config.detectionS + job.config.restartS;
    facts << JobFact{QObject::tr("Restart"), format::span(stop).section(u' ', 0, 0), format::span(stop).section(u' ', 1),
                     QObject::tr("from failure to step")};
    if (!job.spares.empty())
        facts << JobFact{QObject::tr("Spare nodes"), format::count(job.config.spareNodes),
                         QObject::tr("of %1").arg(format::count(std::llround(job.plan.nodes))),
                         QObject::tr("%1 do for 99 %").arg(format::count(job.sparesFor99))};
    const format::Quantity cost = format::dollars(job.costUsdMean);
    facts << JobFact{QObject::tr("Cost"), cost.number, cost.unit, QObject::tr("p95 %1").arg(format::dollars(job.costUsdP95).text())};
    if (job.energyMwhMean > 0) {
        const format::Quantity energy = format::energy(job.energyMwhMean);
        facts << JobFact{QObject::tr("Energy"), energy.number, energy.unit, QObject::tr("PUE %1").arg(format::number(job.config.pue))};
    }
    if (job.co2TonnesMean > 0) {
        const format::Quantity emitted = format::tonnes(job.co2TonnesMean);
        facts << JobFact{u"CO₂"_s, emitted.number, emitted.unit, QObject::tr("%1 g/kWh").arg(format::number(job.config.gridGCo2PerKwh))};
    }
    return facts;
}

FactsCard::FactsCard(const Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme)
{
    QVBoxLayout* layout = makeCard(*this, theme);
    layout->addWidget(plainLabel(tr("What it takes"), {}, u"title"_s));
    m_facts = new QGridLayout;
    m_assumptions = new QGridLayout;
    for (QGridLayout* grid : {m_facts, m_assumptions}) {
        grid->setContentsMargins(0, 0, 0, 0);
        grid->setHorizontalSpacing(theme.px(8));
        grid->setVerticalSpacing(theme.px(2));
    }
    m_facts->setColumnStretch(3, 1);
    m_assumptions->setColumnStretch(0, 1);
    layout->addLayout(m_facts);
    auto* line = new QFrame;
    line->setProperty("separator", true);
    layout->addSpacing(theme.px(4));
    layout->addWidget(line);
    layout->addSpacing(theme.px(4));
    layout->addWidget(plainLabel(tr("Assumptions and their sources"), {}, u"strong"_s));
    layout->addLayout(m_assumptions);
    layout->addStretch(1);
}

void FactsCard::setFacts(const QList<JobFact>& facts)
{
    if (facts == m_shownFacts)
        return;
    if (facts.size() != m_shownFacts.size()) {
        clear(*m_facts);
        for (int row = 0; row < facts.size(); ++row) {
            m_facts->addWidget(plainLabel({}, {}, u"body"_s), row, 0);
            m_facts->addWidget(plainLabel({}, {}, u"strong"_s), row, 1, Qt::AlignRight);
            m_facts->addWidget(plainLabel({}, u"secondary"_s, u"small"_s), row, 2);
            m_facts->addWidget(plainLabel({}, u"tertiary"_s, u"tick"_s), row, 3, Qt::AlignRight);
        }
    }
    m_shownFacts = facts;
    for (int row = 0; row < facts.size(); ++row) {
        const JobFact& fact = facts[row];
        int column = 0;
        for (const QString& text : {fact.name, fact.number, fact.unit, fact.note})
            static_cast<QLabel*>(m_facts->itemAtPosition(row, column++)->widget())->setText(text);
        m_facts->itemAtPosition(row, 1)->widget()->setAccessibleName(u"%1 %2 %3, %4"_s.arg(fact.name, fact.number, fact.unit, fact.note));
    }
}

void FactsCard::setAssumptions(const std::vector<JobAssumption>& assumptions)
{
    if (assumptions == m_shownAssumptions)
        return;
    clear(*m_assumptions);
    m_shownAssumptions = assumptions;
    int row = 0;
    for (const JobAssumption& a : assumptions) {
        const auto [word, role] = wordOf(a.word);
        const QString value = QString::fromStdString(a.value).replace(u"CO2"_s, u"CO₂"_s);
        auto* what = plainLabel(u"%1: %2"_s.arg(QString::fromStdString(a.label), value), {}, u"small"_s);
        auto* origin = plainLabel(word, role, u"tick"_s);
        const QString source = a.source.empty() ? tr("Set in this scenario") : QString::fromStdString(a.source);
        for (QLabel* part : {what, origin})
            part->setToolTip(source);
        what->setAccessibleName(u"%1, %2. %3"_s.arg(what->text(), word, source));
        what->setMinimumWidth(1);
        m_assumptions->addWidget(what, row, 0);
        m_assumptions->addWidget(origin, row, 1, Qt::AlignRight);
        ++row;
    }
}

} // namespace prism::ui
