// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/configeditor.h"

#include "core/cost/predictor.h"
#include "core/scenario/parameters.h"
#include "core/scenario/scenariodifferences.h"
#include "ui/editor/fieldline.h"
#include "ui/editor/quantityedit.h"
#include "ui/findings/searchtext.h"
#include "ui/look/format.h"
#include "ui/theme/fieldwidth.h"
#include "ui/theme/flowlayout.h"
#include "ui/theme/icons.h"
#include "ui/theme/plaintext.h"
#include "ui/theme/barelayout.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QStyle>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

/// The error and the accepted values: a range that is not named cannot be obeyed.
QString sentenceOf(const Diagnostic& d)
{
    QString text = QString::fromStdString(d.message);
    if (text.size() > 1 && text[1].isLower()) // "p95" stays
        text[0] = text[0].toUpper();
    const QString accepted = QString::fromStdString(d.accepted);
    if (accepted.isEmpty() || text.contains(accepted))
        return format::sentence(text);
    const bool ended = text.endsWith(u'.') || text.endsWith(u'?');
    return format::sentence(QObject::tr("%1 Accepted: %2.").arg(ended ? text : text + u'.', accepted));
}

/// The group that a parameter is in.
QString groupOf(const QString& parameterId)
{
    const Parameter* p = findParameter(parameterId.toStdString());
    return p ? QString::fromStdString(p->group) : QString();
}

/// Summary of a group, next to its name; it is shortened at its end where it does not fit, the tip has it whole.
class SummaryLabel final : public QLabel {
public:
    SummaryLabel() { setTextFormat(Qt::PlainText); }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        QPainter painter(this);
        style()->drawItemText(&painter, contentsRect(), Qt::AlignRight | Qt::AlignVCenter, palette(), isEnabled(),
                              fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width()), foregroundRole());
    }
};

} // namespace

ConfigEditor::ConfigEditor(Workspace& workspace, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_workspace(workspace),
      m_theme(theme)
{
    auto* layout = bareLayout<QVBoxLayout>(this, 0);
    layout->addLayout(makeHead());
    layout->addLayout(makeTools());
    layout->addWidget(makeGroups(), 1);
    connect(m_filter, &QLineEdit::textChanged, this, [this] { applyFilter(); });
    connect(m_all, &QCheckBox::toggled, this, [this] { applyFilter(); });
    connect(&workspace, &Workspace::contextChanged, this, &ConfigEditor::refresh);
    connect(&workspace.study(), &StudyModel::changed, this, [this] { // at once: no turn of the event loop with an old value
        if (m_entering)
            return;
        m_beforeEdit.reset(); // undo, a fix, another view: what is in use now is what keystrokes start from
        refresh();
    });
    connect(&workspace.study(), &StudyModel::currentChanged, this, &ConfigEditor::refresh);
    connect(&workspace.study(), &StudyModel::replaced, this, &ConfigEditor::forgetTyped);
    connect(&workspace.study(), &StudyModel::readOnlyChanged, this, [this](bool readOnly) {
        for (ParameterRow* row : rows())
            row->setReadOnly(readOnly);
    });
    connect(this, &QObject::destroyed, this, [groups = m_groups] { qDeleteAll(groups); });
    connect(&theme, &Theme::changed, this, &ConfigEditor::restyleHeaders);
    restyleHeaders();
    setExpanded(u"parallelism"_s, true);
    setExpanded(u"training"_s, true);
    setExpanded(u"variability"_s, true);
}

QLayout* ConfigEditor::makeHead()
{
    auto* head = new FlowLayout; // what does not fit next to the title goes beneath it
    head->setContentsMargins(m_theme.px(16), m_theme.px(8), m_theme.px(12), m_theme.px(4));
    head->setSpacing(m_theme.px(8));
    auto* title = plainLabel(tr("Configuration"), {}, u"strong"_s);
    m_differences = new QPushButton;
    m_differences->setProperty("kind", u"link"_s);
    m_differences->setProperty("type", u"small"_s);
    connect(m_differences, &QPushButton::clicked, this, &ConfigEditor::differencesRequested);
    head->addWidget(title);
    head->addWidget(m_differences);
    head->setAlignment(m_differences, Qt::AlignRight);
    return head;
}

QLayout* ConfigEditor::makeTools()
{
    auto* tools = new FlowLayout;
    tools->setContentsMargins(m_theme.px(16), 0, m_theme.px(16), m_theme.px(6));
    tools->setSpacing(m_theme.px(12));
    m_filter = new QLineEdit;
    m_filter->setPlaceholderText(tr("Find a parameter"));
    m_filter->setAccessibleName(tr("Find a parameter"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setAcceptDrops(false);
    const auto smallest = [this] { m_filter->setMinimumWidth(fieldWidthFor(m_filter->placeholderText(), m_theme)); };
    connect(&m_theme, &Theme::changed, m_filter, smallest);
    smallest();
    m_all = new QCheckBox(tr("Show all"));
    m_all->setToolTip(tr("Also show what is rarely changed"));
    tools->addWidget(m_filter);
    tools->setAlignment(m_filter, Qt::AlignJustify);
    tools->addWidget(m_all);
    m_hits = plainLabel({}, u"secondary"_s, u"small"_s);
    m_hits->setObjectName(u"parametersFound"_s);
    m_hits->hide();
    tools->addWidget(m_hits);
    return tools;
}

QWidget* ConfigEditor::makeGroups()
{
    m_scroll = new QScrollArea;
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setAccessibleName(tr("Parameters"));
    auto* content = new QWidget;
    content->setObjectName(u"configContent"_s);
    auto* stack = new QVBoxLayout(content);
    stack->setContentsMargins(0, 0, 0, m_theme.px(16));
    stack->setSpacing(0);
    const std::pair<QString, QString> groups[] = {
        {u"model"_s, tr("Model")},       {u"cluster"_s, tr("Cluster")},         {u"parallelism"_s, tr("Parallelism")},
        {u"training"_s, tr("Training")}, {u"variability"_s, tr("Variability")}, {u"job"_s, tr("Job")},
        {u"measured"_s, tr("Measured")}};
    for (const auto& [id, name] : groups) {
        m_groups << makeGroup(id, name, *stack);
        auto* rule = new QFrame;
        rule->setProperty("separator", true);
        stack->addWidget(rule);
    }
    stack->addStretch();
    m_scroll->setWidget(content);
    return m_scroll;
}

ConfigEditor::Group* ConfigEditor::makeGroup(const QString& id, const QString& name, QVBoxLayout& stack)
{
    auto* g = new Group{id, name};
    auto* line = new QWidget;
    auto* layout = new QHBoxLayout(line);
    layout->setContentsMargins(m_theme.px(10), m_theme.px(2), m_theme.px(16), m_theme.px(2));
    g->header = new QToolButton;
    g->header->setText(name);
    g->header->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    g->header->setAccessibleName(tr("%1 parameters").arg(name));
    g->header->setIconSize(QSize(m_theme.px(12), m_theme.px(12)));
    connect(g->header, &QToolButton::clicked, this, [this, g] { setExpanded(g->id, !g->expanded); });
    g->summary = new SummaryLabel;
    g->summary->setProperty("role", u"secondary"_s);
    g->summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    g->problems = new QPushButton;
    g->problems->setObjectName(u"problemsOf_"_s + id);
    g->problems->setProperty("kind", u"link problem"_s);
    g->problems->hide();
    connect(g->problems, &QPushButton::clicked, this, [this, g] {
        for (const QString& parameter : invalidParameters())
            if (groupOf(parameter) == g->id)
                return reveal(parameter);
    });
    layout->addWidget(g->header);
    layout->addWidget(g->problems);
    layout->addWidget(g->summary, 1);
    stack.addWidget(line);
    g->body = new QWidget;
    g->layout = new QVBoxLayout(g->body);
    g->layout->setContentsMargins(0, 0, 0, m_theme.px(6));
    g->layout->setSpacing(0);
    g->body->hide();
    stack.addWidget(g->body);
    return g;
}

void ConfigEditor::restyleHeaders()
{
    for (Group* g : m_groups) {
        g->header->setFont(m_theme.font(Type::bodyStrong));
        g->problems->setFont(m_theme.font(Type::smallStrong));
        g->header->setIcon(icon(g->expanded ? Icon::chevronDown : Icon::chevronRight, m_theme.look(), Role::textSecondary));
    }
}

ConfigEditor::Group* ConfigEditor::group(const QString& id)
{
    for (Group* g : m_groups)
        if (g->id == id)
            return g;
    return nullptr;
}

void ConfigEditor::buildGroup(Group& g)
{
    if (g.built)
        return;
    g.built = true;
    for (const Parameter& parameter : parameters()) {
        if (QString::fromStdString(parameter.group) != g.id)
            continue;
        auto* row = new ParameterRow(parameter, m_theme);
        connect(row, &ParameterRow::entered, this, [this, row](const QString& text) { enter(*row, text); });
        connect(row, &ParameterRow::editingDone, this, &ConfigEditor::endEditing);
        connect(row, &ParameterRow::fixRequested, this, &ConfigEditor::fix);
        connect(row, &ParameterRow::tried, this, [this, row](const QString& value) { tryValue(*row, value); });
        connect(row, &ParameterRow::leftTrying, &m_workspace.ghost(), &GhostPreview::clear);
        connect(row, &ParameterRow::searchRequested, this, &ConfigEditor::searchRequested);
        row->setReadOnly(m_workspace.study().isReadOnly());
        g.layout->addWidget(row);
        g.rows << row;
    }
    if (g.id == u"parallelism") { // what follows from the rest, shown where a user expects it
        g.derived = new QuantityEdit(m_theme);
        g.derived->setAccessibleName(tr("Data parallel, derived"));
        g.derived->setReadOnly(true);
        g.derived->setFocusPolicy(Qt::NoFocus);
        g.derived->setProperty("state", u"derived"_s);
        g.derived->setUnit(tr("derived"));
        auto* derived = new FieldLine(m_theme, plainLabel(tr("Data parallel (DP)")), g.derived);
        derived->layout()->setContentsMargins(m_theme.px(34), m_theme.px(2), m_theme.px(8), m_theme.px(2));
        g.layout->insertWidget(std::min<int>(4, static_cast<int>(g.rows.size())), derived);
    }
    m_shown.reset(); // show the values in the new rows
}

void ConfigEditor::setExpanded(const QString& id, bool expanded)
{
    Group* g = group(id);
    if (!g || g->expanded == expanded)
        return;
    if (expanded)
        buildGroup(*g);
    g->expanded = expanded;
    g->header->setIcon(icon(expanded ? Icon::chevronDown : Icon::chevronRight, m_theme.look(), Role::textSecondary));
    g->header->setAccessibleDescription(expanded ? tr("expanded") : tr("collapsed"));
    applyFilter();
    refresh();
}

QStringList ConfigEditor::expandedGroups() const
{
    QStringList list;
    for (const Group* g : m_groups)
        if (g->expanded)
            list << g->id;
    return list;
}

void ConfigEditor::setFilter(const QString& text)
{
    m_filter->setText(text);
}

void ConfigEditor::focusFilter()
{
    m_filter->setFocus();
    m_filter->selectAll();
}

void ConfigEditor::applyFilter()
{
    const QString text = m_filter->text().trimmed();
    int found = 0;
    for (Group* g : m_groups) {
        if (!text.isEmpty())
            buildGroup(*g);
        int shown = 0;
        for (ParameterRow* row : g->rows) {
            const Parameter& p = row->parameter();
            const bool hit = text.isEmpty()
                                 ? (p.basic || m_all->isChecked() || row->differs() || m_typed.contains(QString::fromStdString(p.id)))
                                 : (row->labelText() + QString::fromStdString(p.id + " " + p.help)).contains(text, Qt::CaseInsensitive);
            row->setVisible(hit);
            shown += hit;
        }
        if (g->derived)
            g->derived->parentWidget()->setVisible(text.isEmpty() || u"data parallel dp"_s.contains(text, Qt::CaseInsensitive));
        g->body->setVisible(text.isEmpty() ? g->expanded : shown > 0);
        found += shown;
    }
    m_all->setVisible(text.isEmpty()); // words find everything
    m_hits->setVisible(!text.isEmpty());
    m_hits->setText(found > 0 ? tr("%1 found").arg(found) : tr("Nothing found"));
    if (!text.isEmpty())
        refresh();
}

void ConfigEditor::reveal(const QString& parameterId)
{
    const Parameter* p = findParameter(parameterId.toStdString());
    if (!p)
        return;
    m_filter->clear();
    setExpanded(QString::fromStdString(p->group), true);
    if (ParameterRow* r = row(parameterId)) {
        r->show();
        QTimer::singleShot(0, r, [this, r] {
            m_scroll->ensureWidgetVisible(r, 0, m_theme.px(60));
            r->field()->setFocus(Qt::ShortcutFocusReason);
        });
    }
}

void ConfigEditor::revealProblem()
{
    if (const QStringList invalid = invalidParameters(); !invalid.isEmpty())
        reveal(invalid.front());
}

QStringList ConfigEditor::invalidParameters() const
{
    QStringList invalid = m_typed.keys();
    const ScenarioResult& result = m_workspace.bridge().result(m_shownId);
    if (result.invalid)
        for (const Diagnostic& d : result.diagnostics)
            if (const QString path = QString::fromStdString(d.path);
                d.severity == Severity::error && findParameter(d.path) && !invalid.contains(path))
                invalid << path;
    return invalid;
}

void ConfigEditor::markFolded()
{
    const QStringList invalid = invalidParameters();
    for (Group* g : m_groups) {
        const auto count = std::count_if(invalid.begin(), invalid.end(), [g](const QString& id) { return groupOf(id) == g->id; });
        g->problems->setVisible(count > 0 && g->body->isHidden());
        g->problems->setText(tr("%1 to fix").arg(count));
        g->problems->setAccessibleName(tr("%1: %2 to fix").arg(g->title).arg(count));
    }
}

ParameterRow* ConfigEditor::row(const QString& parameterId)
{
    const Parameter* parameter = findParameter(parameterId.toStdString());
    Group* g = parameter ? group(QString::fromStdString(parameter->group)) : nullptr;
    if (!g)
        return nullptr;
    if (!g->built) {
        buildGroup(*g);
        applyFilter();
        refresh();
    }
    for (ParameterRow* r : g->rows)
        if (&r->parameter() == parameter)
            return r;
    return nullptr;
}

QString ConfigEditor::summaryOf(const QString& id, const Scenario& s)
{
    if (id == u"model")
        return QString::fromStdString(s.model.name);
    if (id == u"cluster")
        return u"%1 × %2"_s.arg(format::count(s.cluster.numGpus), QString::fromStdString(s.cluster.gpu.name));
    if (id == u"measured") {
        const auto n = s.measured.kernels.size() + s.measured.rows.size() + s.measured.speeds.size();
        return n == 0 ? tr("Nothing loaded") : tr("%1 measured values").arg(n);
    }
    if (id == u"variability" && !s.variability.slow.empty())
        return tr("%1 slow").arg(format::count(std::ssize(s.variability.slow)));
    return {};
}

void ConfigEditor::refresh()
{
    const ScenarioEntry* current = m_workspace.study().current();
    if (!current || m_entering)
        return;
    if (current->id != m_shownId) {
        if (m_shownId >= 0)
            forgetTyped();
        m_shownId = current->id;
        publishProblems();
    }
    const ScenarioEntry* baseline = m_workspace.study().baseline();
    const ScenarioPtr pinned = baseline ? baseline->scenario : nullptr, base = baseline && baseline->id != current->id ? pinned : nullptr;
    const Scenario& s = *current->scenario;
    if (current->scenario != m_shown || pinned != m_shownBaseline) {
        m_shown = current->scenario;
        m_shownBaseline = pinned;
        const std::vector<Difference> different = base ? allDifferences(s, *base) : std::vector<Difference>{};
        const auto differs = [&different](const Parameter& p) {
            return std::any_of(different.begin(), different.end(), [&p](const Difference& d) { return d.parameter == &p; });
        };
        for (Group* g : m_groups) {
            g->summary->setText(summaryOf(g->id, s));
            g->summary->setToolTip(plainTip(g->summary->text()));
            for (ParameterRow* row : g->rows) {
                if (row->showValue(s, differs(row->parameter())))
                    m_typed.remove(QString::fromStdString(row->parameter().id)); // another value took the place of what was typed
            }
            if (g->derived) {
                const auto dp = s.dataParallelSize();
                g->derived->setText(dp > 0 ? format::count(dp) : tr("does not divide"));
            }
        }
        m_differences->setText(!baseline               ? tr("No baseline is pinned")
                               : !base                 ? tr("Baseline")
                               : different.empty()     ? tr("Same as baseline")
                               : different.size() == 1 ? tr("1 differs from baseline")
                                                       : tr("%1 differ from baseline").arg(different.size()));
        m_differences->setEnabled(base && !different.empty());
        restyle(m_differences, "kind", base && !different.empty() ? u"link"_s : u"plain"_s);
    }
    refreshProblems(s);
}

void ConfigEditor::refreshProblems(const Scenario& scenario)
{
    const ScenarioResult& result = m_workspace.bridge().result(m_shownId);
    for (Group* g : m_groups)
        for (ParameterRow* row : g->rows) {
            const QString id = QString::fromStdString(row->parameter().id);
            if (const auto typed = m_typed.find(id); typed != m_typed.end() && !typed->empty()) {
                QString unit = QString::fromStdString(row->parameter().unit);
                row->showProblem(
                    sentenceOf(typed->front()),
                    tr("Still using %1 %2").arg(fieldText(row->parameter(), scenario), row->parameter().isPercent ? u"%"_s : unit).trimmed()
                        + u'.',
                    &typed->front());
                continue;
            }
            const Diagnostic* found = nullptr;
            if (result.invalid)
                for (const Diagnostic& d : result.diagnostics)
                    if (d.severity == Severity::error && d.path == row->parameter().id) {
                        found = &d;
                        break;
                    }
            row->showProblem(found ? sentenceOf(*found) : QString(), found ? consequenceOf(scenario, *found) : QString(), found);
            if (found)
                row->show();
        }
    markFolded();
    showFirstProblem();
}

QString ConfigEditor::consequenceOf(const Scenario& scenario, const Diagnostic& problem) const
{
    const QString lastValid = tr("Results are of the last valid input.");
    const Result<Scenario> fixed = setParameter(scenario, problem.fixPath, problem.fixValue);
    const Result<CostedStep> step = fixed.ok() ? costStep(*fixed) : Result<CostedStep>(fixed.errors());
    if (!step || step->memory.fits)
        return lastValid;
    return tr("With it the job needs %1 of %2 and does not fit. %3")
        .arg(format::number(step->memory.peakGib), format::gib(step->memory.capacityGib).text(), lastValid);
}

void ConfigEditor::showFirstProblem()
{
    const QStringList invalid = invalidParameters();
    const QString first = invalid.isEmpty() ? QString() : invalid.front();
    if (first == std::exchange(m_firstProblem, first) || first.isEmpty() || m_typed.contains(first))
        return;
    const QString edited = focusedParameter();
    QTimer::singleShot(0, this, [this, first, edited] { // when the message has its height
        for (const QString& id : {first, edited})
            if (ParameterRow* shown = id.isEmpty() ? nullptr : row(id); shown && shown->isVisible())
                m_scroll->ensureWidgetVisible(shown, 0, 0);
    });
}

void ConfigEditor::enter(ParameterRow& row, const QString& text)
{
    const QString id = QString::fromStdString(row.parameter().id);
    QString typed = text.trimmed();
    if (row.parameter().isPercent && !typed.isEmpty() && typed.back().isDigit())
        typed += u'%'; // the unit of the field is "%": a bare number is meant as one
    StudyModel& study = m_workspace.study();
    if (m_editedId != id)
        endEditing();
    if (!m_beforeEdit && study.current()) {
        m_editedId = id;
        m_beforeEdit = study.current()->scenario;
    }
    m_entering = true;
    const Diagnostics errors = study.setParameter(m_shownId, row.parameter().id, typed.toStdString());
    const QStringList range = errors.empty() ? QStringList() : rangeOf(row.parameter(), text);
    takeRange(row, range, errors.empty() ? typed : QString());
    if (errors.empty()) {
        m_typed.remove(id);
    } else if (!range.isEmpty()) { // for a search; the scenario keeps its value
        study.setParameter(m_shownId, row.parameter().id, parameterText(row.parameter(), *m_beforeEdit));
        m_typed.remove(id);
    } else { // the beginning of a number was a value; the whole is not: the previous value stays in use
        study.setParameter(m_shownId, row.parameter().id, parameterText(row.parameter(), *m_beforeEdit));
        m_typed[id] = errors;
    }
    if (study.current())
        row.acceptTyped(*study.current()->scenario);
    if (!errors.empty() && range.isEmpty()) // before anything is shown again: marked text stays, also where the field has no focus
        row.showProblem(sentenceOf(errors.front()), {}, &errors.front());
    m_entering = false;
    publishProblems();
    refresh();
}

void ConfigEditor::takeRange(ParameterRow& row, const QStringList& values, const QString& typed)
{
    m_workspace.ghost().clear();
    const bool oneOfThem = !typed.isEmpty() && row.rangeValues().contains(typed);
    if (oneOfThem || values == row.rangeValues())
        return;
    row.showRange(values);
    Q_EMIT rangeEntered(QString::fromStdString(row.parameter().id), values);
}

void ConfigEditor::tryValue(const ParameterRow& row, const QString& value)
{
    if (const ScenarioEntry* current = m_workspace.study().current(); current && !m_workspace.study().isReadOnly())
        m_workspace.ghost().show(current->id, current->scenario, QString::fromStdString(row.parameter().id), value,
                                 m_workspace.bridge().seed());
}

void ConfigEditor::endEditing()
{
    m_editedId.clear();
    m_beforeEdit.reset();
    m_workspace.study().endMerge();
}

void ConfigEditor::forgetTyped()
{
    m_typed.clear();
    m_editedId.clear();
    m_beforeEdit.reset();
    for (ParameterRow* row : rows())
        row->discardTyped();
    publishProblems();
}

void ConfigEditor::submitTyped() const
{
    for (ParameterRow* row : rows())
        row->submitTyped();
}

bool ConfigEditor::isPending() const
{
    const QList<ParameterRow*> all = rows();
    return std::any_of(all.begin(), all.end(), [](const ParameterRow* row) { return row->isPending(); });
}

QString ConfigEditor::focusedParameter() const
{
    for (const ParameterRow* row : rows())
        if (row->field()->hasFocus())
            return QString::fromStdString(row->parameter().id);
    return {};
}

QList<ParameterRow*> ConfigEditor::rows() const
{
    QList<ParameterRow*> all;
    for (const Group* g : m_groups)
        all << g->rows;
    return all;
}

void ConfigEditor::fix(const QString& path, const QString& value)
{
    m_workspace.study().endMerge();
    const Diagnostics errors = m_workspace.study().setParameter(m_shownId, path.toStdString(), value.toStdString());
    if (!errors.empty())
        return;
    m_typed.remove(path);
    publishProblems();
    refresh();
    if (ParameterRow* r = row(path))
        r->discardTyped();
    refresh();
}

void ConfigEditor::publishProblems()
{
    m_workspace.setFieldProblems(m_shownId, m_typed.keys());
}

} // namespace prism::ui
