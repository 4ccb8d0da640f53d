// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/importdialog.h"

#include "core/cost/predictor.h"
#include "core/scenario/parameternames.h"
#include "core/scenario/parameters.h"
#include "ui/editor/parameterrow.h"
#include "ui/editor/quantityedit.h"
#include "ui/look/format.h"
#include "ui/theme/flowlayout.h"
#include "ui/pages/card.h"
#include "ui/theme/plaintext.h"
#include "ui/window/dialogparts.h"
#include "ui/theme/barelayout.h"

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QTableWidget>
#include <QVBoxLayout>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

constexpr const char* kRequested[] = {"cluster.num_gpus",
                                      "parallelism.tensor_model_parallel_size",
                                      "parallelism.pipeline_model_parallel_size",
                                      "parallelism.virtual_pipeline_model_parallel_size",
                                      "parallelism.context_parallel_size",
                                      "parallelism.expert_model_parallel_size",
                                      "training.global_batch_size",
                                      "training.micro_batch_size"};
constexpr int kMaxNotes = 100, kMemoryTries = 12; // layouts whose memory is looked at before the fix gives up

QString shortNameOf(const Parameter& p)
{
    return QString::fromStdString(shortLabel(p));
}

/// The memory of a scenario and one fix for what is wrong with it; some hundred milliseconds for large layouts.
ImportVerdict judged(const Scenario& scenario, bool hasErrors, const std::stop_token& stop)
{
    ImportVerdict verdict;
    if (!hasErrors)
        if (const Result<CostedStep> step = costStep(scenario); step.ok())
            verdict.memory = MemoryNeed{step->memory.peakGib, step->memory.capacityGib, step->memory.fits};
    if (!hasErrors && (!verdict.memory || verdict.memory->fits))
        return verdict;
    const auto fitsMemory = [&stop](const Scenario& tried) {
        if (stop.stop_requested())
            return false;
        const Result<CostedStep> step = costStep(tried);
        return step.ok() && step->memory.fits;
    };
    verdict.fix = layoutFix(scenario, fitsMemory, kMemoryTries);
    if (!verdict.fix && hasErrors)
        verdict.fix = layoutFix(scenario); // sizes that fit each other, if not the memory
    return verdict;
}

QString changesText(const LayoutFix& fix, const Scenario& before)
{
    QStringList parts;
    for (const LayoutChange& change : fix.changes)
        if (const Parameter* p = findParameter(change.id))
            parts << QObject::tr("%1 %2 → %3").arg(shortNameOf(*p), valueText(*p, before), valueText(*p, fix.scenario));
    return parts.join(u", "_s);
}

QString diagnosticLine(const Diagnostic& d)
{
    const Parameter* p = findParameter(d.path);
    QString place = p ? shortNameOf(*p) : QString::fromStdString(d.path);
    if (p && place.size() < 2) // the letter of a formula, such as s
        place = QString::fromStdString(p->label);
    QString line = place.isEmpty() ? QString::fromStdString(d.message) : u"%1: %2"_s.arg(place, QString::fromStdString(d.message));
    if (!d.accepted.empty())
        line += QObject::tr(". Accepted: %1.").arg(QString::fromStdString(d.accepted));
    return format::sentence(line);
}

} // namespace

ImportDialog::ImportDialog(Workspace& workspace, const Theme& theme, ImportPreview preview, const QString& fileName, QWidget* parent)
    : QDialog(parent),
      m_workspace(workspace),
      m_theme(theme),
      m_preview(std::move(preview)),
      m_fileName(QFileInfo(fileName).fileName())
{
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName(u"importDialog"_s);
    setWindowTitle(tr("Import %1").arg(m_fileName));
    if (const ScenarioEntry* current = workspace.study().current())
        m_current = current->scenario;
    QVBoxLayout* layout = makeDialogLayout(*this, m_theme);
    auto* title = plainLabel(m_preview.scenario ? tr("%1: recognised as follows").arg(m_preview.kind)
                                                : tr("%1: nothing was taken over").arg(m_preview.kind),
                             {}, u"title"_s);
    title->setWordWrap(true);
    layout->addWidget(title);
    if (m_preview.scenario) {
        if (m_preview.requestsLayout)
            layout->addWidget(makeLayoutFields());
        layout->addWidget(makeVerdict());
        m_table = new QTableWidget;
        m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
        m_table->verticalHeader()->hide();
        m_table->setShowGrid(false);
        wrapCells(*m_table, m_theme);
        m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        (new EmptyNote(*m_table))->showMessage(tr("No parameter changes."));
        layout->addWidget(m_table, 1);
    }
    if (!m_preview.notes.empty())
        layout->addWidget(makeNotes(), m_preview.scenario ? 0 : 1);
    makeButtons(*layout);
    resize(theme.px(760), theme.px(m_preview.requestsLayout ? 620 : 480));
    if (m_preview.scenario)
        refresh();
}

QWidget* ImportDialog::makeLayoutFields()
{
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    auto* note = plainLabel(tr("On how many GPUs, and how is it laid out?"), u"secondary"_s);
    column->addWidget(note);
    auto* fields = new QWidget;
    auto* flow = bareLayout<FlowLayout>(fields, m_theme.px(12));
    for (const char* id : kRequested) {
        const Parameter* p = findParameter(id);
        if (!p || (p->id == "parallelism.expert_model_parallel_size" && m_preview.scenario->model.numExperts == 0))
            continue;
        auto* pair = new QWidget;
        auto* line = bareLayout<QHBoxLayout>(pair, m_theme.px(6));
        auto* edit = new QuantityEdit(m_theme);
        edit->setObjectName(u"import:"_s + QString::fromLatin1(id));
        edit->setAccessibleName(QString::fromStdString(p->label));
        edit->setToolTip(QString::fromStdString(p->help));
        edit->setFixedWidth(m_theme.px(84));
        edit->setStep(id == kRequested[0] ? StepKind::twice : StepKind::one);
        connect(edit, &QuantityEdit::submitted, this, [this, id](const QString& text) { enter(QString::fromLatin1(id), text); });
        line->addWidget(plainLabel(shortNameOf(*p)));
        line->addWidget(edit);
        flow->addWidget(pair);
        m_fields[QString::fromLatin1(id)] = edit;
    }
    column->addWidget(fields);
    return box;
}

QWidget* ImportDialog::makeVerdict()
{
    m_verdict = new QFrame;
    auto* line = new QHBoxLayout(m_verdict);
    line->setContentsMargins(m_theme.px(12), m_theme.px(8), m_theme.px(8), m_theme.px(8));
    m_verdictText = plainLabel();
    m_verdictText->setObjectName(u"importVerdict"_s);
    m_verdictText->setWordWrap(true);
    m_fixButton = new QPushButton(tr("Fix all"));
    m_fixButton->setObjectName(u"importFix"_s);
    m_fixButton->setProperty("kind", u"danger"_s);
    connect(m_fixButton, &QPushButton::clicked, this, &ImportDialog::applyFix);
    line->addWidget(m_verdictText, 1);
    line->addWidget(m_fixButton, 0, Qt::AlignVCenter);
    return m_verdict;
}

QWidget* ImportDialog::makeNotes() const
{
    auto* frame = new QFrame;
    frame->setProperty("message", hasErrors(m_preview.notes) ? u"error"_s : u"note"_s);
    auto* notes = new QVBoxLayout(frame);
    for (std::size_t i = 0; i < m_preview.notes.size() && i < kMaxNotes; ++i) {
        auto* label = plainLabel(diagnosticLine(m_preview.notes[i]));
        label->setWordWrap(true);
        notes->addWidget(label);
    }
    if (m_preview.notes.size() > kMaxNotes)
        notes->addWidget(plainLabel(tr("and %1 more").arg(m_preview.notes.size() - kMaxNotes)));
    notes->addStretch();
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(frame);
    scroll->setAccessibleName(tr("What was assumed or ignored"));
    if (m_preview.scenario)
        scroll->setMaximumHeight(m_theme.px(120));
    return scroll;
}

void ImportDialog::makeButtons(QVBoxLayout& layout)
{
    auto* buttons = new QDialogButtonBox;
    if (m_preview.scenario) {
        auto* add = buttons->addButton(tr("Add as scenario"), QDialogButtonBox::AcceptRole);
        add->setProperty("kind", u"primary closing"_s);
        add->setObjectName(u"importAccept"_s);
    }
    auto* cancel = buttons->addButton(m_preview.scenario ? tr("Cancel") : tr("Close"), QDialogButtonBox::RejectRole);
    cancel->setProperty("kind", u"closing"_s);
    connect(buttons, &QDialogButtonBox::accepted, this, &ImportDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout.addWidget(buttons);
}

QString ImportDialog::verdict() const
{
    return m_verdictText ? m_verdictText->text() : QString();
}

void ImportDialog::enter(const QString& parameterId, const QString& text)
{
    QuantityEdit* edit = m_fields.value(parameterId);
    Result<Scenario> next = setParameter(*m_preview.scenario, parameterId.toStdString(), text.toStdString());
    if (!next) {
        const Diagnostic& invalid = next.errors().front();
        edit->setProblem(tr("%1 Accepted: %2.").arg(QString::fromStdString(invalid.message), QString::fromStdString(invalid.accepted)));
        return;
    }
    m_preview.scenario = std::move(next).value();
    edit->accept(fieldText(*findParameter(parameterId.toStdString()), *m_preview.scenario));
    refresh();
}

void ImportDialog::applyFix()
{
    if (!m_fix || m_fix->changes.empty())
        return;
    m_preview.scenario = m_fix->scenario;
    refresh();
}

void ImportDialog::refresh()
{
    for (auto field = m_fields.begin(); field != m_fields.end(); ++field)
        if (!field.value()->hasFocus() || !field.value()->isPending())
            field.value()->setCommitted(fieldText(*findParameter(field.key().toStdString()), *m_preview.scenario));
    judge();
    fillTable();
}

void ImportDialog::judge()
{
    const Scenario& s = *m_preview.scenario;
    QStringList invalid;
    for (const Diagnostic& d : check(s))
        if (d.severity == Severity::error)
            invalid << diagnosticLine(d);
    m_fix.reset();
    showMessage(invalid, nullptr);
    m_runner.run<ImportVerdict>(
        this, u"verdict"_s, windowTitle(),
        [s, hasErrors = !invalid.isEmpty()](const std::stop_token& stop, const JobProgress&) { return judged(s, hasErrors, stop); },
        [this, invalid](const std::shared_ptr<const ImportVerdict>& verdict) {
            m_fix = verdict->fix;
            showMessage(invalid, verdict.get());
        });
}

bool ImportDialog::isJudging() const
{
    return !m_runner.isIdle();
}

void ImportDialog::showMessage(const QStringList& invalid, const ImportVerdict* verdict)
{
    const Scenario& s = *m_preview.scenario;
    const bool tooLarge = verdict && verdict->memory && !verdict->memory->fits;
    QString text = invalid.join(u'\n');
    if (invalid.isEmpty() && !verdict)
        text = tr("Looking at the memory …");
    else if (invalid.isEmpty() && verdict->memory)
        text = tr("TP %1 × PP %2 × CP %3 × DP %4 = %5 GPUs. Peak memory %6 of %7 GiB, %8.")
                   .arg(s.parallelism.tensorModelParallelSize)
                   .arg(s.parallelism.pipelineModelParallelSize)
                   .arg(s.parallelism.contextParallelSize)
                   .arg(s.dataParallelSize())
                   .arg(format::count(s.cluster.numGpus), format::number(verdict->memory->peakGib),
                        format::number(verdict->memory->capacityGib), tooLarge ? tr("does not fit") : tr("fits"));
    else if (invalid.isEmpty())
        text = tr("It can be computed.");
    const bool fixable = m_fix && !m_fix->changes.empty();
    if (fixable)
        text = tr("%1\nOne fix for all: %2.").arg(text, changesText(*m_fix, s));
    m_verdictText->setText(text);
    m_fixButton->setVisible(fixable);
    restyle(m_verdict, "message", !invalid.isEmpty() || tooLarge ? u"error"_s : u"note"_s);
}

void ImportDialog::fillTable()
{
    const Scenario& s = *m_preview.scenario;
    const std::vector<const Parameter*> changed = m_current ? differences(*m_current, s) : std::vector<const Parameter*>{};
    m_table->setColumnCount(3);
    m_table->setHorizontalHeaderLabels({tr("Parameter"), m_current ? tr("Current scenario") : QString(), tr("Imported")});
    m_table->setRowCount(static_cast<int>(changed.size()));
    for (int i = 0; i < static_cast<int>(changed.size()); ++i) {
        const Parameter& p = *changed[static_cast<std::size_t>(i)];
        const QString texts[] = {QString::fromStdString(p.label), valueText(p, *m_current), valueText(p, s)};
        for (int column = 0; column < 3; ++column) {
            auto* item = new QTableWidgetItem(texts[column]);
            item->setToolTip(texts[column]);
            m_table->setItem(i, column, item);
        }
    }
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_table->horizontalHeaderItem(1)->setToolTip(m_current ? QString::fromStdString(m_current->name) : QString());
    m_table->setAccessibleName(tr("Parameters that differ from the current scenario"));
}

void ImportDialog::accept()
{
    for (QuantityEdit* field : m_fields)
        field->submitNow();
    m_workspace.study().addScenario(*m_preview.scenario, tr("Import %1").arg(m_fileName));
    QDialog::accept();
}

void showImport(Workspace& workspace, const Theme& theme, const ImportPreview& preview, const QString& fileName, QWidget* parent)
{
    (new ImportDialog(workspace, theme, preview, fileName, parent))->open();
}

} // namespace prism::ui
