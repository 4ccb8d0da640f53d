// SPDX-License-Identifier: GPL-3.0-or-later
// The bar at the bottom: state, cost of the last edit, the running job with its progress, Cancel.
#pragma once

#include "ui/workspace/pagestate.h"
#include "ui/workspace/workspace.h"
#include "ui/theme/theme.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include <functional>

class QLabel;
class QProgressBar;
class QPushButton;

namespace prism::ui {

/// GUI thread only.
class JobBar final : public QWidget {
    Q_OBJECT
public:
    JobBar(Workspace& workspace, const Theme& theme, QWidget* parent = nullptr);

    /// A sentence for some seconds in place of the cost of the last edit ("Copied as image and table").
    void showMessage(const QString& message);
    [[nodiscard]] QString stateText() const;
    /// Gives the state of the page that is shown.
    void setPageState(std::function<PageState()> state) { m_pageState = std::move(state); }
    void refresh();
    /// Shown before what is being computed; empty = none.
    void setFileJob(const QString& text);

Q_SIGNALS:
    void fileJobCancelled();
    void problemClicked(); ///< "Input to fix" leads to the field

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    /// Of the step times, then of the page that is looked at.
    [[nodiscard]] PageState shownState() const;
    /// Connects this bar to the signals of the workspace and the insights.
    void follow();
    Workspace& m_workspace;
    const Theme& m_theme;
    QLabel *m_state, *m_edit, *m_job;
    QProgressBar* m_progress;
    QPushButton* m_cancel;
    QString m_jobKey, m_jobTitle, m_jobText, m_fileJob;
    QElapsedTimer m_jobClock;
    QTimer m_message;
    std::function<PageState()> m_pageState;
};

} // namespace prism::ui
