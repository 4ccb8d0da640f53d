// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/parameterrow.h"

#include "core/scenario/parameternames.h"

#include "ui/editor/choicebox.h"
#include "ui/editor/fieldline.h"
#include "ui/editor/quantityedit.h"
#include "ui/look/choice.h"
#include "ui/look/format.h"
#include "ui/theme/flowlayout.h"
#include "ui/theme/plaintext.h"
#include "ui/theme/barelayout.h"

#include <QCheckBox>
#include <QEvent>
#include <QFrame>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <cmath>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

constexpr const char* kTriedValue = "triedValue"; // of a button: what it stands for

StepKind stepOf(const Parameter& parameter)
{
    if (parameter.type == ParameterType::real)
        return StepKind::digit;
    if (parameter.type != ParameterType::integer)
        return StepKind::none;
    const bool doubles = parameter.group == "parallelism" && QString::fromStdString(parameter.id).endsWith(u"_size");
    const bool batch = QString::fromStdString(parameter.id).endsWith(u"batch_size") || parameter.id == "cluster.num_gpus";
    return doubles || batch ? StepKind::twice : StepKind::one;
}

/// Of a number with a suffix; a longer one is written with all digits in groups.
constexpr qsizetype kMaxDigits = 9;

QString jsonText(const QString& value) // the text of a JSON scalar, as a person types it
{
    return value.size() >= 2 && value.startsWith(u'"') && value.endsWith(u'"') ? value.mid(1, value.size() - 2) : value;
}

} // namespace

QString fieldText(const Parameter& parameter, const Scenario& scenario)
{
    QString text = QString::fromStdString(parameterText(parameter, scenario));
    const QString unit = parameter.isPercent ? u"%"_s : QString::fromStdString(parameter.unit);
    if (!unit.isEmpty() && text.endsWith(unit) && text.size() > unit.size())
        text = text.left(text.size() - unit.size()).trimmed();
    bool plain = false;
    const double value = text.toDouble(&plain);
    if (!plain || std::abs(value) < 1000 || parameter.type == ParameterType::choice || parameter.type == ParameterType::text)
        return text;
    for (const auto& [factor, suffix] : {std::pair{1e12, u" T"_s}, {1e9, u" G"_s}}) // "15.6 T": read back to the same value
        if (const QString scaled = QString::number(value / factor, 'g', QLocale::FloatingPointShortest);
            value >= factor && scaled.size() <= kMaxDigits && scaled.toDouble() * factor == value)
            return scaled + suffix;
    return value == std::floor(value) ? format::count(static_cast<std::int64_t>(value)) : text;
}

QString valueText(const Parameter& parameter, const Scenario& scenario)
{
    const ParameterValue value = parameter.get(scenario);
    if (const bool* on = std::get_if<bool>(&value))
        return *on ? QObject::tr("yes") : QObject::tr("no");
    if (parameter.type == ParameterType::choice)
        return format::choice(QString::fromStdString(std::get<std::string>(value)));
    const QString unit = parameter.isPercent ? u"%"_s : QString::fromStdString(parameter.unit);
    return unit.isEmpty() ? fieldText(parameter, scenario) : u"%1 %2"_s.arg(fieldText(parameter, scenario), unit);
}

ParameterRow::ParameterRow(const Parameter& parameter, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_parameter(parameter),
      m_theme(theme)
{
    setObjectName(u"row:"_s + QString::fromStdString(parameter.id));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(theme.px(34), theme.px(2), theme.px(8), theme.px(2));
    layout->setSpacing(theme.px(4));
    m_label = plainLabel(labelText());
    if (m_label->sizeHint().width() > theme.px(metric::labelColumn - 22)) // the short name is in the tip
        m_label->setText(QString::fromStdString(parameter.label));
    QString help = QString::fromStdString(parameter.help);
    if (parameter.type == ParameterType::integer || parameter.type == ParameterType::real)
        help += tr("\n%1 to %2").arg(parameter.minimum, 0, 'g', 6).arg(parameter.maximum, 0, 'g', 6);
    setToolTip(labelText() + u"\n"_s + help.trimmed() + u"\n"_s + QString::fromStdString(parameter.id));
    makeField();
    QWidget* field = this->field();
    field->setAccessibleName(labelText());
    field->setAccessibleDescription(QString::fromStdString(parameter.help));
    layout->addWidget(new FieldLine(theme, m_label, field));
    layout->addWidget(makeMessage());
}

void ParameterRow::makeField()
{
    if (m_parameter.type == ParameterType::choice) {
        m_combo = new ChoiceBox;
        for (const std::string& choice : m_parameter.choices)
            m_combo->addItem(format::choice(QString::fromStdString(choice)), QString::fromStdString(choice));
        m_combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        m_combo->setMinimumContentsLength(6);
        connect(m_combo, &QComboBox::activated, this, [this](int index) { Q_EMIT entered(m_combo->itemData(index).toString()); });
        connect(m_combo, &QComboBox::activated, this, &ParameterRow::editingDone);
        connect(m_combo, &ChoiceBox::tried, this, [this](int index) { Q_EMIT tried(m_combo->itemData(index).toString()); });
        connect(m_combo, &ChoiceBox::closed, this, &ParameterRow::leftTrying);
    } else if (m_parameter.type == ParameterType::boolean) {
        m_check = new QCheckBox;
        m_check->setProperty("row", true);
        connect(m_check, &QCheckBox::clicked, this, [this](bool on) { Q_EMIT entered(on ? u"true"_s : u"false"_s); });
        connect(m_check, &QCheckBox::clicked, this, &ParameterRow::editingDone);
        m_check->installEventFilter(this);
    } else {
        m_edit = new QuantityEdit(m_theme);
        m_edit->setUnit(m_parameter.isPercent ? u"%"_s : QString::fromStdString(m_parameter.unit));
        m_edit->setStep(stepOf(m_parameter));
        connect(m_edit, &QuantityEdit::submitted, this, &ParameterRow::entered);
        connect(m_edit, &QuantityEdit::editingDone, this, &ParameterRow::editingDone);
    }
}

QWidget* ParameterRow::makeMessage()
{
    m_message = new QFrame;
    m_message->setProperty("message", u"error"_s);
    auto* message = new QVBoxLayout(m_message); // the text has the whole width, regardless of the button
    message->setContentsMargins(m_theme.px(12), m_theme.px(6), m_theme.px(8), m_theme.px(6));
    auto* texts = new QVBoxLayout;
    texts->setSpacing(m_theme.px(2));
    m_messageText = plainLabel();
    m_messageUse = plainLabel();
    for (QLabel* label : {m_messageText, m_messageUse}) {
        label->setWordWrap(true);
        label->setProperty("type", u"small"_s);
        texts->addWidget(label);
    }
    m_messageUse->setProperty("role", u"secondary"_s);
    message->addLayout(texts);
    m_fix = new QPushButton;
    m_fix->setProperty("kind", u"danger"_s);
    message->addWidget(m_fix, 0, Qt::AlignLeft);
    m_message->hide();
    connect(m_fix, &QPushButton::clicked, this, [this] { Q_EMIT fixRequested(m_fixPath, m_fixValue); });
    return m_message;
}

QString ParameterRow::labelText() const
{
    const QString label = QString::fromStdString(m_parameter.label), shortName = QString::fromStdString(m_parameter.shortName);
    return shortName.isEmpty() || label == shortName ? label : u"%1 (%2)"_s.arg(label, shortName);
}

QWidget* ParameterRow::field() const
{
    return m_combo ? static_cast<QWidget*>(m_combo) : m_check ? static_cast<QWidget*>(m_check) : m_edit;
}

bool ParameterRow::showValue(const Scenario& scenario, bool differs)
{
    const ParameterValue value = m_parameter.get(scenario);
    bool other = false;
    if (m_edit) {
        const QString text = fieldText(m_parameter, scenario);
        other = text != m_edit->committed();
        m_edit->setCommitted(text);
    } else if (m_combo) {
        const QString text = std::holds_alternative<std::string>(value) ? QString::fromStdString(std::get<std::string>(value)) : QString();
        int at = m_combo->findData(text);
        if (at < 0) {
            m_combo->addItem(format::choice(text), text);
            at = m_combo->count() - 1;
        }
        m_combo->setCurrentIndex(at);
    } else if (std::holds_alternative<bool>(value)) {
        m_check->setChecked(std::get<bool>(value));
    }
    if (differs != m_differs) {
        m_differs = differs;
        m_label->setAccessibleDescription(differs ? tr("differs from the baseline") : QString());
        update();
    }
    return other;
}

void ParameterRow::showProblem(const QString& message, const QString& inUse, const Diagnostic* fix)
{
    if (m_edit)
        m_edit->setProblem(message);
    m_message->setVisible(!message.isEmpty());
    if (message.isEmpty())
        return;
    m_messageText->setText(message);
    m_messageUse->setText(inUse);
    m_messageUse->setVisible(!inUse.isEmpty());
    const bool fixable = fix && !fix->fixPath.empty();
    m_fix->setVisible(fixable);
    if (fixable) {
        m_fixPath = QString::fromStdString(fix->fixPath);
        m_fixValue = jsonText(QString::fromStdString(fix->fixValue));
        const Parameter* target = findParameter(fix->fixPath);
        const QString name = !target || fix->fixPath == m_parameter.id ? QString() : QString::fromStdString(shortLabel(*target));
        m_fix->setText(name.isEmpty() ? tr("Set to %1").arg(m_fixValue) : tr("Set %1 to %2").arg(name, m_fixValue));
    }
}

void ParameterRow::showRange(const QStringList& values)
{
    if (values == m_rangeValues)
        return;
    m_rangeValues = values;
    delete m_range;
    m_range = nullptr;
    if (values.isEmpty())
        return;
    m_range = new QWidget;
    auto* flow = bareLayout<FlowLayout>(m_range, m_theme.px(4));
    for (const QString& value : values) {
        auto* button = new QPushButton(value);
        button->setAccessibleName(tr("Take %1 for %2").arg(value, labelText()));
        button->setToolTip(tr("Point at it to see its curve; click to take it"));
        button->setProperty(kTriedValue, value);
        button->installEventFilter(this);
        connect(button, &QPushButton::clicked, this, [this, value] {
            Q_EMIT entered(value);
            Q_EMIT editingDone();
        });
        flow->addWidget(button);
    }
    auto* search = new QPushButton(tr("Search these"));
    search->setProperty("kind", u"link"_s);
    search->setToolTip(tr("Explore tries every combination of the ranges in the fields"));
    connect(search, &QPushButton::clicked, this, &ParameterRow::searchRequested);
    flow->addWidget(search);
    static_cast<QVBoxLayout*>(layout())->insertWidget(1, m_range);
}

bool ParameterRow::eventFilter(QObject* watched, QEvent* event)
{
    const bool enter = event->type() == QEvent::Enter || event->type() == QEvent::FocusIn;
    if (enter && watched == m_check)
        Q_EMIT tried(m_check->isChecked() ? u"false"_s : u"true"_s);
    else if (enter)
        Q_EMIT tried(watched->property(kTriedValue).toString());
    else if (event->type() == QEvent::Leave || event->type() == QEvent::FocusOut)
        Q_EMIT leftTrying();
    return QWidget::eventFilter(watched, event);
}

void ParameterRow::discardTyped()
{
    if (m_edit)
        m_edit->discardTyped();
}

void ParameterRow::acceptTyped(const Scenario& scenario)
{
    if (m_edit)
        m_edit->accept(fieldText(m_parameter, scenario));
}

void ParameterRow::submitTyped()
{
    if (m_edit)
        m_edit->submitNow();
}

void ParameterRow::setReadOnly(bool readOnly)
{
    if (m_edit)
        m_edit->setReadOnly(readOnly);
    else
        field()->setEnabled(!readOnly);
    if (m_edit) {
        restyle(m_edit, "state", readOnly ? QVariant(u"derived"_s) : QVariant());
    }
}

bool ParameterRow::isPending() const
{
    return m_edit && m_edit->isPending();
}

bool ParameterRow::hasProblem() const
{
    return m_edit && m_edit->hasProblem();
}

QString ParameterRow::shownText() const
{
    if (m_edit)
        return m_edit->text();
    return m_combo ? m_combo->currentData().toString() : m_check->isChecked() ? u"true"_s : u"false"_s;
}

void ParameterRow::paintEvent(QPaintEvent* /*event*/)
{
    if (!m_differs)
        return;
    QPainter p(this);
    p.fillRect(QRect(m_theme.px(22), m_theme.px(4), m_theme.px(3), m_theme.px(20)), m_theme.color(Role::accent));
}

} // namespace prism::ui
