// SPDX-License-Identifier: GPL-3.0-or-later
// The scenario table: visible, colour, baseline pin, name, status and note of every scenario that is not archived.
#pragma once

#include "ui/workspace/workspace.h"

#include <QAbstractTableModel>

namespace prism::ui {

/// GUI thread only. Edits go through the study's undo stack. Qt::UserRole says of a pin whether it is the baseline's, of a status whether
/// it is bad, and of a note that nobody has written the shorter ways to say where the scenario comes from.
class ScenarioTableModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { visibleColumn, sampleColumn, pinColumn, nameColumn, statusColumn, noteColumn, kColumns };

    explicit ScenarioTableModel(Workspace& workspace, QObject* parent = nullptr);

    [[nodiscard]] int idAt(int row) const;
    [[nodiscard]] int rowOf(int id) const;
    [[nodiscard]] const QStringList& statusWords() const { return m_statusWords; } ///< each once: a thousand rows have few

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    [[nodiscard]] QStringList mimeTypes() const override;
    [[nodiscard]] QMimeData* mimeData(const QModelIndexList& indexes) const override;
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column, const QModelIndex& parent) override;

private:
    /// What a row shows; a row is drawn anew where this changes.
    struct RowState {
        ScenarioPtr scenario, parent; ///< null = it has no parent
        SnapshotPtr shown;
        int colour = 0, wrong = 0;
        bool visible = false, baseline = false, current = false, computing = false, cancelled = false, invalid = false;
        QString word; ///< of its status, made of the others
        [[nodiscard]] bool hasEqualTexts(const RowState& other) const;
    };
    void refresh();
    [[nodiscard]] std::vector<RowState> rowStates() const;
    [[nodiscard]] static QString statusWord(const RowState& state);
    [[nodiscard]] QString tip(const ScenarioEntry& entry) const;
    [[nodiscard]] bool isWrong(int id) const; ///< there is something to mend
    Workspace& m_workspace;
    std::vector<ScenarioEntry> m_rows;
    std::vector<RowState> m_states; ///< of the rows
    QStringList m_statusWords;
};

} // namespace prism::ui
