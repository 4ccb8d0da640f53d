// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/applydialog.h"

#include "core/scenario/parameternames.h"

#include "ui/editor/parameterrow.h"
#include "ui/pages/card.h"
#include "ui/window/dialogparts.h"

#include <QComboBox>
#include <QCompleter>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTreeWidget>
#include <QVBoxLayout>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

ApplyDialog::ApplyDialog(Workspace& workspace, const Theme& theme, const QString& parameterId, QWidget* parent)
    : QDialog(parent),
      m_workspace(workspace),
      m_parameter(new QComboBox),
      m_value(new QLineEdit),
      m_scenarios(new QTreeWidget)
{
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName(u"applyDialog"_s);
    setWindowTitle(tr("Set in several scenarios"));
    for (const Parameter& p : parameters())
        m_parameter->addItem(QString::fromStdString(fullName(p)), QString::fromStdString(p.id));
    m_parameter->setEditable(true);
    m_parameter->setInsertPolicy(QComboBox::NoInsert);
    m_parameter->completer()->setFilterMode(Qt::MatchContains);
    m_parameter->setCurrentIndex(std::max(0, m_parameter->findData(parameterId)));
    m_parameter->setAccessibleName(tr("Parameter"));
    m_value->setAccessibleName(tr("Value"));
    auto* line = new QHBoxLayout;
    line->addWidget(m_parameter, 2);
    line->addWidget(m_value, 1);
    QVBoxLayout* layout = makeDialogLayout(*this, theme);
    layout->addLayout(line);
    m_scenarios->setColumnCount(2);
    m_scenarios->setHeaderLabels({tr("Scenario"), tr("Now")});
    m_scenarios->setRootIsDecorated(false);
    m_scenarios->setAccessibleName(tr("Scenarios; space chooses one"));
    wrapCells(*m_scenarios, theme);
    layout->addWidget(m_scenarios, 1);
    m_problem = addSetButtons(*this, tr("Set"));
    connect(m_parameter, &QComboBox::currentIndexChanged, this, &ApplyDialog::fill);
    resize(theme.px(520), theme.px(440));
    fill();
}

const Parameter* ApplyDialog::parameter() const
{
    return findParameter(m_parameter->currentData().toString().toStdString());
}

void ApplyDialog::fill()
{
    const std::vector<int> kept = chosen();
    const Parameter* p = parameter();
    m_scenarios->clear();
    for (const ScenarioEntry& e : m_workspace.study().state().entries) {
        if (e.archived || !p)
            continue;
        auto* item = new QTreeWidgetItem(m_scenarios, {QString::fromStdString(e.scenario->name), valueText(*p, *e.scenario)});
        item->setData(0, Qt::UserRole, e.id);
        const bool on = kept.empty() ? e.visible : std::find(kept.begin(), kept.end(), e.id) != kept.end();
        item->setCheckState(0, on ? Qt::Checked : Qt::Unchecked);
    }
    m_scenarios->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_scenarios->header()->setStretchLastSection(false);
    m_scenarios->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    if (const ScenarioEntry* current = m_workspace.study().current(); current && p)
        m_value->setText(QString::fromStdString(parameterText(*p, *current->scenario)));
    m_problem->clear();
}

std::vector<int> ApplyDialog::chosen() const
{
    std::vector<int> ids;
    for (int i = 0; i < m_scenarios->topLevelItemCount(); ++i)
        if (const QTreeWidgetItem* item = m_scenarios->topLevelItem(i); item->checkState(0) == Qt::Checked)
            ids.push_back(item->data(0, Qt::UserRole).toInt());
    return ids;
}

void ApplyDialog::choose(const std::vector<int>& ids)
{
    for (int i = 0; i < m_scenarios->topLevelItemCount(); ++i) {
        QTreeWidgetItem* item = m_scenarios->topLevelItem(i);
        const bool on = std::find(ids.begin(), ids.end(), item->data(0, Qt::UserRole).toInt()) != ids.end();
        item->setCheckState(0, on ? Qt::Checked : Qt::Unchecked);
    }
}

void ApplyDialog::setValue(const QString& text)
{
    m_value->setText(text);
}

QString ApplyDialog::problem() const
{
    return m_problem->text();
}

void ApplyDialog::accept()
{
    const Parameter* p = parameter();
    if (!p)
        return;
    const Diagnostics errors = m_workspace.study().setParameterIn(chosen(), p->id, m_value->text().trimmed().toStdString());
    if (errors.empty())
        return QDialog::accept();
    const Diagnostic& first = errors.front();
    m_problem->setText(QString::fromStdString(first.message + (first.accepted.empty() ? "" : " Accepted: " + first.accepted + ".")));
}

} // namespace prism::ui
