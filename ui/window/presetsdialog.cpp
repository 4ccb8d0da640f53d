// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/presetsdialog.h"

#include "ui/pages/card.h"
#include "ui/theme/plaintext.h"
#include "ui/window/dialogparts.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

PresetsDialog::PresetsDialog(Workspace& workspace, const Theme& theme, UserPresets presets, QWidget* parent)
    : QDialog(parent),
      m_workspace(workspace),
      m_presets(std::move(presets)),
      m_table(new QTableWidget(0, 2)),
      m_kind(new QComboBox),
      m_name(new QLineEdit),
      m_state(plainLabel())
{
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName(u"presetsDialog"_s);
    setWindowTitle(tr("Own presets"));
    QVBoxLayout* layout = makeDialogLayout(*this, theme);
    m_table->setHorizontalHeaderLabels({tr("Kind"), tr("Name")});
    m_table->setAccessibleName(tr("Own presets"));
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->verticalHeader()->hide();
    m_table->setShowGrid(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    (new EmptyNote(*m_table))->showMessage(tr("None yet. Name a part of this scenario below, and keep it for other studies."));
    layout->addWidget(m_table, 1);
    auto* put = new QPushButton(tr("Use in this scenario"));
    auto* drop = new QPushButton(tr("Delete"));
    auto* actions = new QHBoxLayout;
    actions->addWidget(put);
    actions->addWidget(drop);
    actions->addStretch(1);
    layout->addLayout(actions);
    auto* line = new QHBoxLayout;
    for (const OwnKind kind : kOwnKinds)
        m_kind->addItem(ownKindName(kind));
    m_kind->setAccessibleName(tr("Which part of the scenario"));
    m_name->setPlaceholderText(tr("Name"));
    m_name->setAccessibleName(tr("Name of the preset"));
    auto* save = new QPushButton(tr("Keep from this scenario"));
    for (QWidget* part : {static_cast<QWidget*>(m_kind), static_cast<QWidget*>(m_name), static_cast<QWidget*>(save)})
        line->addWidget(part, part == m_name ? 1 : 0);
    layout->addLayout(line);
    m_state->setWordWrap(true);
    layout->addWidget(m_state);
    auto* close = new QPushButton(tr("Close"));
    close->setProperty("kind", u"closing"_s);
    layout->addWidget(close, 0, Qt::AlignRight);
    const auto follow = [this, put, drop] {
        for (QPushButton* button : {put, drop})
            button->setEnabled(m_table->currentRow() >= 0);
    };
    connect(m_table, &QTableWidget::itemSelectionChanged, this, follow);
    connect(put, &QPushButton::clicked, this, [this] { apply(m_table->currentRow()); });
    connect(m_table, &QTableWidget::cellDoubleClicked, this, &PresetsDialog::apply);
    connect(drop, &QPushButton::clicked, this, [this] { removeAt(m_table->currentRow()); });
    connect(save, &QPushButton::clicked, this, [this] { keep(kOwnKinds[m_kind->currentIndex()], m_name->text()); });
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    resize(theme.px(520), theme.px(420));
    fill();
    follow();
}

void PresetsDialog::showMessage(const QString& text, bool isError)
{
    m_state->setText(text);
    restyle(m_state, "role", isError ? u"error"_s : u"secondary"_s);
}

void PresetsDialog::fill()
{
    QStringList problems;
    m_all = m_presets.all(&problems);
    m_table->setRowCount(static_cast<int>(m_all.size()));
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const UserPreset& preset = m_all[static_cast<std::size_t>(row)];
        m_table->setItem(row, 0, new QTableWidgetItem(ownKindName(preset.kind)));
        m_table->setItem(row, 1, new QTableWidgetItem(preset.name));
    }
    showMessage(problems.isEmpty() ? tr("Kept as files in %1").arg(m_presets.folder()) : tr("Left out: %1").arg(problems.join(u"; "_s)),
                !problems.isEmpty());
}

void PresetsDialog::keep(OwnKind kind, const QString& name)
{
    const ScenarioEntry* current = m_workspace.study().current();
    if (!current)
        return;
    const Diagnostics errors = m_presets.save(userPresetOf(*current->scenario, kind, name));
    fill();
    if (!errors.empty())
        showMessage(QString::fromStdString(errors.front().message), true);
}

void PresetsDialog::apply(int row)
{
    const ScenarioEntry* current = m_workspace.study().current();
    if (!current || row < 0 || row >= static_cast<int>(m_all.size()))
        return;
    const UserPreset& preset = m_all[static_cast<std::size_t>(row)];
    if (m_workspace.study().isReadOnly())
        return showMessage(tr("Nothing was changed: this study is read-only."), true);
    Result<Scenario> next = withUserPreset(*current->scenario, preset);
    if (!next.ok())
        return showMessage(QString::fromStdString(next.errors().front().message), true);
    m_workspace.study().setScenario(current->id, std::move(next).value(), tr("%1 %2").arg(ownKindName(preset.kind), preset.name));
    showMessage(tr("%1 is in %2. Ctrl+Z takes it back.").arg(preset.name, QString::fromStdString(current->scenario->name)), false);
}

void PresetsDialog::removeAt(int row)
{
    if (row < 0 || row >= static_cast<int>(m_all.size()))
        return;
    m_presets.remove(m_all[static_cast<std::size_t>(row)]);
    fill();
}

} // namespace prism::ui
