// SPDX-License-Identifier: GPL-3.0-or-later
// Trace: recorded operations of a measured job: which workers and stages are slow, what a repair brings, how durations spread.
#pragma once

#include "ui/findings/tracefound.h"
#include "ui/pages/insightpage.h"
#include "ui/plot/heatmap.h"
#include "ui/plot/poolchart.h"

#include <QTemporaryDir>

#include <memory>

class QLabel;
class QLineEdit;
class QPushButton;
class QTableWidget;

namespace prism::ui {

class ChangeCard;
class DropZone;
class EmptyNote;

/// GUI thread only. What was read stays until another trace is opened; nothing changes until a scenario is made of it.
class TracePage final : public InsightPage {
    Q_OBJECT
public:
    explicit TracePage(const Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] QString id() const override { return QStringLiteral("traces"); }
    [[nodiscard]] QString title() const override { return tr("Trace"); }
    [[nodiscard]] QString answer() const override;
    [[nodiscard]] QString group() const override { return tr("Check"); }
    [[nodiscard]] TableData asTable() const override;

    void openTrace(const QString& path);   ///< a file or a folder
    void compareWith(const QString& path); ///< another recording of the same job; an empty path ends it
    void openSample();                     ///< makes a trace of the current scenario and opens it
    void makeScenario();                   ///< with the values of the trace, on top of the current one
    void pickPool(int pool);

    [[nodiscard]] const TraceFound* found() const { return m_found.value(); }
    [[nodiscard]] HeatMap& workers() { return *m_workers; }
    [[nodiscard]] PoolChart& histogram() { return *m_histogram; }
    [[nodiscard]] QTableWidget& pools() { return *m_pools; }
    [[nodiscard]] QTableWidget& repairs() { return *m_repairs; }
    [[nodiscard]] ChangeCard& changes() { return *m_change; }
    [[nodiscard]] QLabel& recognised() { return *m_recognised; }

Q_SIGNALS:
    void openRequested();
    void compareRequested(); ///< the user wants to choose a second recording

protected:
    void contextChanged() override;

private:
    void buildTools();
    void fitTables();
    [[nodiscard]] QWidget* buildNote();
    [[nodiscard]] QWidget* buildPools();
    [[nodiscard]] QWidget* buildRepairs();
    void ask();
    void refresh() override;
    void refreshWorkers();
    void refreshPools();
    void refreshHistogram();
    void refreshRepairs();
    void statesShown() override;

    QString m_path;
    ChangeCard* m_change;
    QWidget* m_repairsCard;
    QPushButton *m_open, *m_make;
    QLineEdit* m_filter;
    QLabel *m_sentence, *m_recognised;
    HeatMap* m_workers;
    PoolChart* m_histogram;
    QTableWidget *m_pools, *m_repairs;
    EmptyNote *m_noPools, *m_noRepairs;
    DropZone* m_drop;
    QWidget* m_content;
    std::unique_ptr<QTemporaryDir> m_sampleFolder;                    ///< null before the first sample
    InsightSlot<std::string> m_sample{QStringLiteral("sampletrace")}; ///< what it holds
    ResultToken m_shown;                                              ///< question whose answer is in the tables
    InsightSlot<TraceFound> m_found{QStringLiteral("trace")};
};

/// "2 of 48 workers are slow; the largest significant saving is 182 ms ± 32 ms a step (2.6 %): ...": the first line of the page.
[[nodiscard]] QString traceSentence(const TraceFound& found);

} // namespace prism::ui
