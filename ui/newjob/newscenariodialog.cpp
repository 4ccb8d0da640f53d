// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/newjob/newscenariodialog.h"

#include "core/cost/predictor.h"
#include "core/scenario/presets.h"
#include "ui/editor/choicebox.h"
#include "ui/findings/tracefound.h"
#include "ui/look/format.h"
#include "ui/newjob/proposalview.h"
#include "ui/pages/card.h"
#include "ui/theme/plaintext.h"
#include "ui/theme/segmented.h"
#include "ui/theme/barelayout.h"

#include <QButtonGroup>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QFrame>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QTreeWidget>
#include <QVBoxLayout>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

constexpr int kPauseMs = 200;                               // of typing
constexpr std::size_t kLargestFile = std::size_t{16} << 20; // bytes; a launch script has some kilobytes
constexpr int kCurveSamples = 2'000, kOtherSamples = 1'000;
constexpr int kWidth = 1100, kHeight = 760; // pixels at scale 1
const QString kGoalProperty = u"page"_s;

/// One of the three questions: a numbered title with what belongs to it.
QVBoxLayout* question(QWidget& box, const Theme& theme, const QString& title)
{
    auto* layout = bareLayout<QVBoxLayout>(&box, theme.px(6));
    auto* head = plainLabel(title, {}, u"title"_s);
    layout->addWidget(head);
    return layout;
}

/// "80 layers, hidden 8,192" of a model of the library.
QString sizeOf(const QString& preset)
{
    const Result<ModelConfig> model = modelPreset(preset.toStdString());
    if (!model.ok())
        return {};
    return model->numExperts > 0
               ? QObject::tr("%1 layers, %2 experts").arg(format::count(model->numLayers), format::count(model->numExperts))
               : QObject::tr("%1 layers, hidden %2").arg(format::count(model->numLayers), format::count(model->hiddenSize));
}

} // namespace

NewScenarioDialog::NewScenarioDialog(Workspace& workspace, const Theme& theme, QWidget* parent)
    : QDialog(parent),
      m_workspace(workspace),
      m_theme(theme),
      m_view(new ProposalView(theme)),
      m_create(new QPushButton(tr("Create scenario")))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName(u"newScenario"_s);
    setWindowTitle(tr("New scenario"));
    setAcceptDrops(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(QMargins() + theme.px(metric::cardPadding));
    auto* both = new QHBoxLayout;
    both->setSpacing(theme.px(16));
    auto* left = new QWidget;
    auto* questions = bareLayout<QVBoxLayout>(left, theme.px(16));
    for (QWidget* part : {makeModelQuestion(), makeMachineQuestion(), makeGoalQuestion()})
        questions->addWidget(part);
    m_notes = plainLabel({}, u"secondary"_s, u"small"_s);
    m_notes->setWordWrap(true);
    questions->addWidget(m_notes);
    questions->addStretch(1);
    const auto scrolled = [](QWidget* widget) {
        auto* area = new QScrollArea;
        area->setWidgetResizable(true);
        area->setFrameShape(QFrame::NoFrame);
        area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        area->setFocusPolicy(Qt::NoFocus);
        area->setWidget(widget);
        return area;
    };
    both->addWidget(scrolled(left), 1); // models and fabrics have long names
    both->addWidget(scrolled(m_view), 1);
    layout->addLayout(both, 1);
    makeFoot(*layout);
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseMs);
    connect(&m_pause, &QTimer::timeout, this, &NewScenarioDialog::ask);
    connect(m_view, &ProposalView::chosenChanged, this, &NewScenarioDialog::askCurve);
    connect(this, &QDialog::finished, this, [this] {
        m_proposal.stop();
        m_curve.stop();
        m_others.stop();
        m_workspace.insights().setFront(nullptr);
    });
    const QSize room = parent ? parent->size() - QSize(theme.px(24), theme.px(24)) : QSize(theme.px(kWidth), theme.px(kHeight));
    resize(QSize(theme.px(kWidth), theme.px(kHeight)).boundedTo(room));
    fillModels();
    setMachines(u"512"_s, QString::fromStdString(GpuSpec().preset));
    m_view->setMessage(tr("Choose a model, and a layout that fits is proposed."), false);
}

NewScenarioDialog::~NewScenarioDialog() = default;

QWidget* NewScenarioDialog::makeModelQuestion()
{
    auto* box = new QWidget;
    QVBoxLayout* layout = question(*box, m_theme, tr("1  Which model?"));
    m_source = new SegmentedControl(m_theme);
    m_source->setChoices({tr("Preset"), tr("Hugging Face file"), tr("Megatron script")});
    m_source->setAccessibleName(tr("Where the model comes from"));
    layout->addWidget(m_source, 0, Qt::AlignLeft);
    m_search = new QLineEdit;
    m_search->setPlaceholderText(tr("Find a model"));
    m_search->setAccessibleName(tr("Find a model"));
    m_search->setClearButtonEnabled(true);
    m_models = new QTreeWidget;
    m_models->setObjectName(u"models"_s);
    m_models->setAccessibleName(tr("Models of the library"));
    m_models->setColumnCount(2);
    m_models->setHeaderHidden(true);
    m_models->setRootIsDecorated(false);
    m_models->setFixedHeight(m_theme.px(150));
    wrapCells(*m_models, m_theme);
    auto* presets = new QWidget;
    auto* presetLayout = new QVBoxLayout(presets);
    presetLayout->setContentsMargins(0, 0, 0, 0);
    presetLayout->addWidget(m_search);
    presetLayout->addWidget(m_models);
    auto* files = new QWidget;
    auto* fileLayout = new QVBoxLayout(files);
    fileLayout->setContentsMargins(0, 0, 0, 0);
    auto* choose = new QPushButton(tr("Choose file…"));
    m_file = plainLabel(tr("Or drop a config.json or a launch script anywhere on this window."), u"secondary"_s);
    m_file->setWordWrap(true);
    fileLayout->addWidget(choose, 0, Qt::AlignLeft);
    fileLayout->addWidget(m_file);
    fileLayout->addStretch(1);
    m_sourcePages = new QStackedWidget;
    m_sourcePages->addWidget(presets);
    m_sourcePages->addWidget(files);
    layout->addWidget(m_sourcePages);
    connect(m_source, &SegmentedControl::chosen, this, [this](int which) {
        m_sourcePages->setCurrentIndex(which == 0 ? 0 : 1);
        askLater();
    });
    connect(m_search, &QLineEdit::textChanged, this, &NewScenarioDialog::fillModels);
    connect(m_models, &QTreeWidget::currentItemChanged, this, &NewScenarioDialog::askLater);
    connect(choose, &QPushButton::clicked, this, [this] {
        const QString path = QFileDialog::getOpenFileName(
            this, tr("Model configuration or launch script"), QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation),
            tr("Configurations and scripts (*.json *.sh *.args *.txt *.yaml *.yml);;All files (*)"));
        if (!path.isEmpty())
            readFile(path);
    });
    return box;
}

void NewScenarioDialog::fillModels()
{
    const QString kept = m_models->currentItem() ? m_models->currentItem()->data(0, Qt::UserRole).toString() : QString();
    const QSignalBlocker quiet(m_models);
    m_models->clear();
    for (const std::string& name : presetNames("model")) {
        const QString preset = QString::fromStdString(name), title = presetTitle("model", preset);
        if (!title.contains(m_search->text(), Qt::CaseInsensitive) && !preset.contains(m_search->text(), Qt::CaseInsensitive))
            continue;
        auto* item = new QTreeWidgetItem(m_models, {title, sizeOf(preset)});
        item->setData(0, Qt::UserRole, preset);
        item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
        if (preset == kept)
            m_models->setCurrentItem(item);
    }
    m_models->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_models->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_models->header()->setStretchLastSection(false);
}

QWidget* NewScenarioDialog::makeMachineQuestion()
{
    auto* box = new QWidget;
    QVBoxLayout* layout = question(*box, m_theme, tr("2  Which machines?"));
    auto* form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setRowWrapPolicy(QFormLayout::WrapAllRows);
    m_gpus = new QLineEdit;
    m_batch = new QLineEdit;
    m_gpu = new ChoiceBox;
    m_fabric = new ChoiceBox;
    for (const auto& [box2, kind] : {std::pair{m_gpu, "gpu"}, {m_fabric, "fabric"}}) {
        for (const std::string& name : presetNames(kind))
            box2->addItem(presetTitle(kind, QString::fromStdString(name)), QString::fromStdString(name));
        box2->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box2->setMinimumContentsLength(12);
        connect(box2, &QComboBox::currentIndexChanged, this, &NewScenarioDialog::askLater);
    }
    m_batch->setPlaceholderText(tr("4 M tokens, or as in the script"));
    for (const auto& [name, field] :
         {std::pair<QString, QWidget*>{tr("GPUs"), m_gpus}, {tr("GPU"), m_gpu}, {tr("Fabric"), m_fabric}, {tr("Global batch"), m_batch}}) {
        form->addRow(plainLabel(name), field);
        field->setAccessibleName(name);
    }
    m_gpus->setObjectName(u"newGpus"_s);
    m_batch->setToolTip(tr("Sequences of one step"));
    layout->addLayout(form);
    for (QLineEdit* field : {m_gpus, m_batch, m_search})
        field->setAcceptDrops(false); // a file that is dropped here is the window's
    for (QLineEdit* field : {m_gpus, m_batch})
        connect(field, &QLineEdit::textEdited, this, &NewScenarioDialog::askLater);
    connect(m_gpu, &QComboBox::activated, this, [this] { setMachines(m_gpus->text(), m_gpu->currentData().toString()); });
    return box;
}

QWidget* NewScenarioDialog::makeGoalQuestion()
{
    auto* box = new QWidget;
    QVBoxLayout* layout = question(*box, m_theme, tr("3  What do you want to know?"));
    m_goals = new QButtonGroup(this);
    for (const auto& [text, page] : {std::pair{tr("How slow are the slow steps?"), u"distribution"_s},
                                     {tr("Which layout is best?"), u"explore"_s},
                                     {tr("Where do slow nodes hurt most?"), u"placement"_s},
                                     {tr("When will it be done, and for how much?"), u"job"_s},
                                     {tr("Is the model right about my run?"), u"validate"_s}}) {
        auto* button = new QRadioButton(text);
        button->setProperty(qUtf8Printable(kGoalProperty), page);
        button->setAccessibleName(text);
        m_goals->addButton(button);
        layout->addWidget(button);
    }
    m_goals->buttons().front()->setChecked(true);
    return box;
}

void NewScenarioDialog::makeFoot(QVBoxLayout& layout)
{
    auto* foot = new QHBoxLayout;
    auto* note = plainLabel(tr("Adds one scenario to this study. Ctrl+Z takes it back."), u"secondary"_s);
    auto* cancel = new QPushButton(tr("Cancel"));
    cancel->setProperty("kind", u"closing"_s);
    m_create->setProperty("kind", u"primary closing"_s);
    m_create->setObjectName(u"createScenario"_s);
    m_create->setDefault(true);
    m_create->setEnabled(false);
    foot->addWidget(note, 1);
    foot->addWidget(cancel);
    foot->addWidget(m_create);
    layout.addLayout(foot);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_create, &QPushButton::clicked, this, &NewScenarioDialog::accept);
}

void NewScenarioDialog::chooseModel(const QString& preset)
{
    m_source->setCurrent(0);
    m_sourcePages->setCurrentIndex(0);
    for (int i = 0; i < m_models->topLevelItemCount(); ++i)
        if (QTreeWidgetItem* item = m_models->topLevelItem(i); item->data(0, Qt::UserRole).toString() == preset)
            m_models->setCurrentItem(item);
    askLater();
}

void NewScenarioDialog::setFile(const QString& name, const QByteArray& text)
{
    m_fileName = name;
    m_text = text.toStdString();
    m_file->setText(name);
    m_source->setCurrent(text.trimmed().startsWith('{') ? 1 : 2);
    m_sourcePages->setCurrentIndex(1);
    askLater();
}

void NewScenarioDialog::readFile(const QString& path)
{
    const Result<QByteArray> text = contentOf(path, kLargestFile);
    if (text)
        setFile(QFileInfo(path).fileName(), *text);
    else
        m_file->setText(u"%1: %2"_s.arg(QFileInfo(path).fileName(), QString::fromStdString(text.errors().front().message)));
}

void NewScenarioDialog::setMachines(const QString& gpus, const QString& gpu)
{
    m_gpus->setText(gpus);
    const QSignalBlocker quiet(m_gpu);
    m_gpu->setCurrentIndex(std::max(0, m_gpu->findData(gpu)));
    if (const int fabric = m_fabric->findData(fabricFor(gpu)); fabric >= 0)
        m_fabric->setCurrentIndex(fabric);
    askLater();
}

void NewScenarioDialog::setGoal(const QString& pageId)
{
    for (QAbstractButton* button : m_goals->buttons())
        if (button->property(qUtf8Printable(kGoalProperty)).toString() == pageId)
            button->setChecked(true);
}

NewJobAnswers NewScenarioDialog::answers() const
{
    NewJobAnswers a;
    a.source = static_cast<NewJobAnswers::Source>(m_source->current());
    a.preset = m_models->currentItem() ? m_models->currentItem()->data(0, Qt::UserRole).toString() : QString();
    a.fileName = m_fileName;
    a.text = m_text;
    a.gpus = m_gpus->text();
    a.gpu = m_gpu->currentData().toString();
    a.fabric = m_fabric->currentData().toString();
    a.globalBatch = m_batch->text();
    return a;
}

bool NewScenarioDialog::isComputing() const
{
    return m_pause.isActive() || m_proposal.isComputing() || m_curve.isComputing() || m_others.isComputing();
}

void NewScenarioDialog::ask()
{
    Result<NewJob> job = newJob(answers());
    m_create->setEnabled(false);
    if (!job.ok()) {
        m_job.reset();
        m_proposal.forget();
        const Diagnostic invalid = job.errors().front();
        m_view->setMessage(format::sentence(QString::fromStdString(
                               invalid.message + (invalid.accepted.empty() ? "" : " Accepted: " + invalid.accepted + "."))),
                           !answers().preset.isEmpty() || m_source->current() != 0);
        return;
    }
    m_job = std::move(job).value();
    QStringList notes;
    for (const Diagnostic& d : m_job->notes)
        notes << QString::fromStdString(d.message);
    m_notes->setText(notes.mid(0, 3).join(u'\n'));
    m_notes->setToolTip(notes.join(u'\n'));
    m_view->setMessage(tr("Looking for a layout that fits"), false);
    m_view->setStale(true);
    m_workspace.insights().setFront(this);
    m_proposal.ask(
        &m_workspace.insights(), this, ResultToken{m_job->scenario.hash(), m_workspace.bridge().seed(), u"layout"_s}, tr("Layout"),
        [scenario = m_job->scenario](const InsightOptions& options) { return proposedLayout(scenario, options); },
        [this] { showProposal(); });
    if (!m_proposal.isComputing()) // known already
        showProposal();
}

void NewScenarioDialog::showProposal()
{
    const LayoutProposal* p = m_proposal.value();
    if (!p || !m_job) {
        m_view->setMessage(format::sentence(m_proposal.error()), true);
        return;
    }
    m_rows = {p->best};
    bool ownShown = false;
    if (m_job->own) {
        const Result<CostedStep> step = costStep(*m_job->own);
        ownShown = step.ok();
        if (ownShown)
            m_rows.push_back({*m_job->own, step->noiseFreeSeconds, step->memory.peakGib, step->memory.capacityGib});
    }
    m_rows.insert(m_rows.end(), p->alternatives.begin(), p->alternatives.end());
    m_view->setProposal(*p, m_rows, ownShown);
    const bool readOnly = m_workspace.study().isReadOnly();
    m_create->setEnabled(!readOnly);
    if (readOnly)
        m_notes->setText(tr("This study is read-only: no scenario can be added. Save it under another name first."));
    askCurve();
}

void NewScenarioDialog::sample(InsightSlot<Sampled>& slot, const std::vector<int>& rows, const QString& title, int samples)
{
    const auto evaluator = m_workspace.bridge().evaluator();
    std::vector<Scenario> scenarios;
    ResultToken requested{{}, m_workspace.bridge().seed(), QString::number(samples)};
    for (const int row : rows) {
        scenarios.push_back(m_rows[static_cast<std::size_t>(row)].scenario);
        requested.inputs += u'/' + QString::fromStdString(scenarios.back().hash().text());
    }
    const auto show = [this, &slot, rows] {
        const Sampled* sampled = m_proposal.status().isCurrent ? slot.value() : nullptr; // else the rows are those of another proposal
        for (std::size_t i = 0; sampled && i < rows.size() && i < sampled->size(); ++i)
            m_view->setSampled(rows[i], (*sampled)[i]);
        if (&slot == &m_curve)
            askOthers();
    };
    const bool known = slot.shown() == requested;
    slot.ask(
        &m_workspace.insights(), this, requested, title,
        [evaluator, scenarios, samples](const InsightOptions& options) -> Result<Sampled> {
            Sampled all;
            for (const Scenario& scenario : scenarios) {
                all.push_back(evaluator->evaluate(scenario, evaluateOptions(options, samples)));
                if (options.stop.stop_requested())
                    return cancelled();
            }
            return all;
        },
        show);
    if (known)
        show();
}

void NewScenarioDialog::askCurve()
{
    if (m_rows.empty() || !m_rows[static_cast<std::size_t>(m_view->chosen())].fits())
        return;
    sample(m_curve, {m_view->chosen()}, tr("First curve"), kCurveSamples);
}

void NewScenarioDialog::askOthers()
{
    std::vector<int> rows;
    for (int row = 0; row < static_cast<int>(m_rows.size()); ++row)
        if (row != m_view->chosen() && m_rows[static_cast<std::size_t>(row)].fits())
            rows.push_back(row);
    if (!rows.empty())
        sample(m_others, rows, tr("Alternatives"), kOtherSamples);
}

void NewScenarioDialog::accept()
{
    if (m_pause.isActive()) {
        m_pause.stop();
        ask();
    }
    if (!m_create->isEnabled() || m_rows.empty())
        return;
    Scenario scenario = m_rows[static_cast<std::size_t>(m_view->chosen())].scenario;
    scenario.name = m_workspace.study().freeName(QString::fromStdString(m_job->scenario.name)).toStdString();
    m_workspace.study().addScenario(std::move(scenario), tr("New scenario"));
    QDialog::accept();
    Q_EMIT requested(m_goals->checkedButton()->property(qUtf8Printable(kGoalProperty)).toString());
}

void NewScenarioDialog::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void NewScenarioDialog::dropEvent(QDropEvent* event)
{
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile())
            readFile(url.toLocalFile());
    event->acceptProposedAction();
}

} // namespace prism::ui
