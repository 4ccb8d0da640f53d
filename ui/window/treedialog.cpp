// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/treedialog.h"

#include "core/scenario/scenariodifferences.h"
#include "ui/editor/parameterrow.h"
#include "ui/pages/card.h"
#include "ui/window/dialogparts.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <map>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

enum ItemRole { kScenarioRole = Qt::UserRole, kParameterRole, kValueRole };

QString nameOf(const ScenarioEntry& entry)
{
    const QString name = QString::fromStdString(entry.scenario->name);
    return entry.archived ? QObject::tr("%1 (archived)").arg(name) : name;
}

} // namespace

TreeDialog::TreeDialog(Workspace& workspace, const Theme& theme, QWidget* parent)
    : QDialog(parent),
      m_workspace(workspace),
      m_theme(theme),
      m_tree(new QTreeWidget),
      m_show(new QPushButton(tr("Show scenario"))),
      m_apply(new QPushButton(tr("Apply this value to…")))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName(u"treeDialog"_s);
    setWindowTitle(tr("Tree of scenarios"));
    QVBoxLayout* layout = makeDialogLayout(*this, theme);
    m_tree->setColumnCount(3);
    m_tree->setHeaderLabels({tr("Scenario, and what differs from its parent"), tr("Parent now"), tr("This scenario")});
    m_tree->setAccessibleName(tr("Scenarios, each under its parent, with the differences between them"));
    wrapCells(*m_tree, theme);
    layout->addWidget(m_tree, 1);
    auto* buttons = new QDialogButtonBox;
    m_apply->setToolTip(tr("Set the chosen value in other scenarios"));
    buttons->addButton(m_apply, QDialogButtonBox::ActionRole);
    buttons->addButton(m_show, QDialogButtonBox::ActionRole);
    buttons->addButton(tr("Close"), QDialogButtonBox::RejectRole)->setProperty("kind", u"closing"_s);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_tree, &QTreeWidget::currentItemChanged, this, &TreeDialog::follow);
    connect(m_tree, &QTreeWidget::itemActivated, this, [this] { (m_apply->isEnabled() ? m_apply : m_show)->click(); });
    connect(m_apply, &QPushButton::clicked, this, [this] {
        const QTreeWidgetItem* item = m_tree->currentItem();
        Q_EMIT applyRequested(item->data(0, kParameterRole).toString(), item->data(0, kValueRole).toString());
    });
    connect(m_show, &QPushButton::clicked, this,
            [this] { m_workspace.study().setCurrent(m_tree->currentItem()->data(0, kScenarioRole).toInt()); });
    connect(&workspace.study(), &StudyModel::changed, this, &TreeDialog::fill);
    resize(theme.px(620), theme.px(460));
    fill();
}

QTreeWidgetItem* TreeDialog::itemOf(const ScenarioEntry& entry) const
{
    auto* item = new QTreeWidgetItem({nameOf(entry)});
    item->setData(0, kScenarioRole, entry.archived ? -1 : entry.id);
    QFont strong = m_tree->font();
    strong.setWeight(QFont::DemiBold);
    item->setFont(0, strong);
    const ScenarioEntry* parent = m_workspace.study().entry(entry.parentId);
    if (!parent)
        return item;
    for (const Difference& d : allDifferences(*parent->scenario, *entry.scenario)) {
        auto* edit = new QTreeWidgetItem(item, {QString::fromStdString(d.label), QString::fromStdString(d.a), QString::fromStdString(d.b)});
        edit->setData(0, kScenarioRole, -1);
        if (!d.parameter)
            continue; // a list is not typed into a field
        edit->setText(1, valueText(*d.parameter, *parent->scenario));
        edit->setText(2, valueText(*d.parameter, *entry.scenario));
        edit->setData(0, kParameterRole, QString::fromStdString(d.path));
        edit->setData(0, kValueRole, QString::fromStdString(d.b));
    }
    return item;
}

void TreeDialog::fill()
{
    const StudyState& state = m_workspace.study().state();
    m_tree->clear();
    std::map<int, QTreeWidgetItem*> placed;
    for (bool more = true; more;) { // parents before their children, regardless of the order of the table
        more = false;
        for (const ScenarioEntry& e : state.entries) {
            const bool isRoot = !state.find(e.parentId);
            if (placed.contains(e.id) || (!isRoot && !placed.contains(e.parentId)))
                continue;
            QTreeWidgetItem* item = placed[e.id] = itemOf(e);
            isRoot ? m_tree->addTopLevelItem(item) : placed[e.parentId]->addChild(item);
            more = true;
        }
    }
    for (const ScenarioEntry& e : state.entries) // of a file whose parents go in a circle
        if (!placed.contains(e.id))
            m_tree->addTopLevelItem(itemOf(e));
    m_tree->expandAll();
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    for (const int column : {1, 2})
        m_tree->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    if (const auto at = placed.find(m_workspace.study().currentId()); at != placed.end())
        m_tree->setCurrentItem(at->second);
    follow();
}

void TreeDialog::follow()
{
    const QTreeWidgetItem* item = m_tree->currentItem();
    m_show->setEnabled(item && item->data(0, kScenarioRole).toInt() > 0);
    m_apply->setEnabled(item && !item->data(0, kParameterRole).toString().isEmpty() && !m_workspace.study().isReadOnly());
}

} // namespace prism::ui
