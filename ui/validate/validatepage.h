// SPDX-License-Identifier: GPL-3.0-or-later
// Validate: a measured log compared with the prediction. First whether the model was right, then where, then what a fit would change.
#pragma once

#include "ui/findings/logcomparison.h"
#include "ui/pages/insightpage.h"
#include "ui/plot/stepcurves.h"
#include "ui/plot/stepseries.h"
#include "ui/validate/changecard.h"
#include "ui/validate/followedlog.h"

class QCheckBox;
class QFrame;
class QLabel;
class QPushButton;
class QTableWidget;

namespace prism::ui {

class DropZone;

/// GUI thread only. The text of the log is kept; it is read and compared in the background.
class ValidatePage final : public InsightPage {
    Q_OBJECT
public:
    explicit ValidatePage(const Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] QString id() const override { return QStringLiteral("validate"); }
    [[nodiscard]] QString title() const override { return tr("Validate"); }
    [[nodiscard]] QString answer() const override;
    [[nodiscard]] QString group() const override { return tr("Check"); }
    [[nodiscard]] TableData asTable() const override;

    /// Takes a log; `name` is what it is called.
    void openLog(const QString& name, const std::string& text, const QString& path = {}); ///< `path`: where it lies, to be followed
    void openSample(); ///< opens a log that is made from the scenario, as if it had been recorded
    /// Compares with another log of the same job, before and after something was changed; an empty path ends it.
    void compareWith(const QString& path);
    /// Makes a scenario with the level and spread that the log shows.
    void calibrate(); ///< adds the scenario that is fitted to the log, or shows it where the study has it already

    /// Keeps reading the log while it grows; false where there is no file or no prediction.
    bool follow(bool on);

    [[nodiscard]] QLabel& followed() { return *m_followed; }
    [[nodiscard]] QLabel& sentence() { return *m_sentence; } ///< why the log is not compared
    [[nodiscard]] QLabel& causes() { return *m_causes; }
    [[nodiscard]] QLabel& recognised() { return *m_recognised; }
    [[nodiscard]] QTableWidget& table() { return *m_table; }
    [[nodiscard]] ChangeCard& changes() { return *m_change; }
    [[nodiscard]] StepCurveChart& curves() { return *m_curves; }
    [[nodiscard]] SeriesChart& series() { return *m_series; }
    [[nodiscard]] QuantileChart& quantiles() { return *m_quantiles; }
    [[nodiscard]] const LogComparison* held() const { return m_held.value(); }

Q_SIGNALS:
    /// The user wants to choose a log.
    void openRequested();
    void compareRequested(); ///< the user wants to choose a second log

protected:
    void contextChanged() override;

private:
    void buildNote(const Theme& theme);
    void buildVerdicts();
    void buildTools();
    [[nodiscard]] QWidget* buildCauses();
    void take(const LogAdvance& news);
    void setText(std::string text);
    void ask();
    void showWaiting(); ///< the drop zone in the place of the cards while no log is open
    void addCalibrated(const QString& name, int from);
    void refresh() override;
    void statesShown() override;
    void refreshCharts();
    void refreshTable();
    void refreshCauses();

    QPushButton *m_open, *m_calibrate, *m_follow;
    QCheckBox *m_warmUp, *m_pauses, *m_shifts;
    QLabel *m_sentence, *m_recognised, *m_causes, *m_calibrated, *m_followed;
    QFrame* m_note;
    StepCurveChart* m_curves;
    QuantileChart* m_quantiles;
    SeriesChart* m_series;
    QFrame *m_verdicts, *m_causesCard;
    QTableWidget* m_table;
    QString m_name, m_path;
    FollowedLog* m_log;
    QStringList m_alarms;
    std::shared_ptr<const std::string> m_text;
    QString m_digest; ///< of the text, for questions
    ChangeCard* m_change;
    bool m_wantsFit = false;
    InsightSlot<LogComparison> m_held{QStringLiteral("validate")};
    DropZone* m_drop;
    QWidget *m_content, *m_distributions;
    InsightSlot<std::string> m_sample{QStringLiteral("samplelog")};
    InsightSlot<RunFit> m_fit{QStringLiteral("fit")};
};

} // namespace prism::ui
