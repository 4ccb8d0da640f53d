// SPDX-License-Identifier: GPL-3.0-or-later
// File > New: three questions at left, the proposal at right, computed again at each answer.
#pragma once

#include "core/explore/layoutproposal.h"
#include "ui/findings/newjob.h"
#include "ui/pages/insightslot.h"
#include "ui/theme/theme.h"
#include "ui/workspace/workspace.h"

#include <QDialog>
#include <QTimer>

class QButtonGroup;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTreeWidget;
class QVBoxLayout;

namespace prism::ui {

class ChoiceBox;
class ProposalView;
class SegmentedControl;

/// GUI thread only. Adds one scenario when it is accepted; `wanted` then names the page that answers the third question.
class NewScenarioDialog final : public QDialog {
    Q_OBJECT
public:
    NewScenarioDialog(Workspace& workspace, const Theme& theme, QWidget* parent = nullptr);
    ~NewScenarioDialog() override;

    // change it
    void chooseModel(const QString& preset);
    void setFile(const QString& name, const QByteArray& text); ///< a model configuration or a launch script
    void setMachines(const QString& gpus, const QString& gpu); ///< the fabric follows the GPU
    void setGoal(const QString& pageId);

    // look at it
    [[nodiscard]] NewJobAnswers answers() const;
    [[nodiscard]] ProposalView& view() { return *m_view; }
    [[nodiscard]] const LayoutProposal* proposal() const { return m_proposal.value(); }
    [[nodiscard]] bool isComputing() const;

Q_SIGNALS:
    void requested(const QString& pageId);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    /// Snapshots of the rows of the proposal; null where one cannot be computed.
    using Sampled = std::vector<SnapshotPtr>;
    [[nodiscard]] QWidget* makeModelQuestion();
    [[nodiscard]] QWidget* makeMachineQuestion();
    [[nodiscard]] QWidget* makeGoalQuestion();
    void makeFoot(QVBoxLayout& layout);
    void fillModels();
    void readFile(const QString& path);
    void askLater() { m_pause.start(); }
    void ask();
    void showProposal();
    void askCurve();
    void askOthers();
    void sample(InsightSlot<Sampled>& slot, const std::vector<int>& rows, const QString& title, int samples);
    void accept() override;

    Workspace& m_workspace;
    const Theme& m_theme;
    SegmentedControl* m_source;
    QStackedWidget* m_sourcePages;
    QLineEdit *m_search, *m_gpus, *m_batch;
    QTreeWidget* m_models;
    QLabel *m_file, *m_notes;
    ChoiceBox *m_gpu, *m_fabric;
    QButtonGroup* m_goals;
    ProposalView* m_view;
    QPushButton* m_create;
    QTimer m_pause;
    QString m_fileName;
    std::string m_text;
    std::optional<NewJob> m_job;
    std::vector<LayoutOption> m_rows;
    InsightSlot<LayoutProposal> m_proposal{QStringLiteral("newLayout")};
    InsightSlot<Sampled> m_curve{QStringLiteral("newCurve")}, m_others{QStringLiteral("newAlternatives")};
};

} // namespace prism::ui
