// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/reportdialog.h"

#include "ui/report/reportfile.h"
#include "ui/theme/plaintext.h"
#include "ui/theme/segmented.h"
#include "ui/window/dialogparts.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStandardPaths>
#include <QVBoxLayout>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

const QString kJob = u"report"_s;

/// Work that may throw (memory) made an error as a value.
Result<Findings> foundOf(Evaluator& evaluator, const FindingsQuery& query, const InsightOptions& options)
{
    try {
        return findings(evaluator, query, options);
    } catch (const std::exception& error) {
        Diagnostic failed;
        failed.message = error.what();
        return failed;
    }
}

} // namespace

ReportDialog::ReportDialog(Workspace& workspace, const Theme& theme, QString title, QWidget* parent)
    : QDialog(parent),
      m_workspace(workspace),
      m_title(std::move(title)),
      m_question(new QLineEdit),
      m_form(new SegmentedControl(theme)),
      m_bundle(new QCheckBox(tr("Also pictures and figures (PNG, CSV)"))),
      m_state(plainLabel()),
      m_write(new QPushButton(tr("Write report…")))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName(u"reportDialog"_s);
    setWindowTitle(tr("Report"));
    QVBoxLayout* layout = makeDialogLayout(*this, theme);
    const auto label = [&](const QString& text) {
        auto* made = plainLabel(text, u"secondary"_s);
        layout->addWidget(made);
    };
    label(tr("Question that it answers"));
    m_question->setPlaceholderText(tr("made from the study's target and scenarios"));
    m_question->setAccessibleName(tr("Question"));
    layout->addWidget(m_question);
    label(tr("Form"));
    m_form->setChoices({tr("Pages (PDF)"), tr("Slides 16:9 (PDF)"), tr("Web page (HTML)")});
    m_form->setAccessibleName(tr("Form of the report"));
    layout->addWidget(m_form, 0, Qt::AlignLeft);
    m_bundle->setObjectName(u"reportBundle"_s);
    m_bundle->setToolTip(tr("A folder with the report's name: every picture for slides, every table for a sheet"));
    layout->addWidget(m_bundle);
    m_state->setWordWrap(true);
    m_state->setProperty("role", u"tertiary"_s);
    m_state->setText(tr("Answer, scenarios, causes, placement, job and limits, with seed and hashes. The same study gives the same file."));
    layout->addWidget(m_state);
    layout->addStretch(1);
    auto* buttons = new QDialogButtonBox;
    m_write->setProperty("kind", u"primary closing"_s);
    m_write->setDefault(true);
    buttons->addButton(m_write, QDialogButtonBox::ActionRole);
    buttons->addButton(tr("Close"), QDialogButtonBox::RejectRole)->setProperty("kind", u"closing"_s);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_write, &QPushButton::clicked, this, &ReportDialog::chooseFile);
    connect(&m_workspace.insights(), &InsightRunner::progress, this, [this](const QString& key, double, const QString&) {
        if (key == kJob)
            showMessage(tr("Computing: %1").arg(m_workspace.insights().progressText(kJob)), u"tertiary"_s);
    });
    connect(&m_workspace.insights(), &InsightRunner::finished, this, [this](const QString& key, bool cancelled) {
        if (key == kJob && cancelled)
            end(tr("Stopped; nothing was written."), u"tertiary"_s);
    });
    resize(theme.px(560), theme.px(280));
}

void ReportDialog::showMessage(const QString& text, const QString& role)
{
    m_state->setText(text);
    restyle(m_state, "role", role);
}

void ReportDialog::end(const QString& text, const QString& role)
{
    m_writing = false;
    m_write->setEnabled(true);
    showMessage(text, role);
    if (isVisible())
        return;
    Q_EMIT ended(tr("Report: %1").arg(text), role == u"error" ? role : u"note"_s);
    deleteLater();
}

void ReportDialog::done(int result)
{
    if (m_writing)
        hide(); // the report is still requested; Cancel in the bar below stops it
    else
        QDialog::done(result);
}

void ReportDialog::chooseFile()
{
    const bool html = m_form->current() == 2;
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    const QString path = QFileDialog::getSaveFileName(this, tr("Write report"), u"%1/report.%2"_s.arg(folder, html ? u"html"_s : u"pdf"_s),
                                                      html ? tr("Web page (*.html)") : tr("Document (*.pdf)"));
    if (!path.isEmpty())
        writeTo(path);
}

void ReportDialog::writeTo(const QString& path)
{
    FindingsQuery query;
    query.state = m_workspace.study().state();
    query.currentId = m_workspace.study().currentId();
    query.title = m_title;
    query.question = m_question->text().trimmed();
    query.samples = m_workspace.bridge().samples();
    const ReportForm form = m_form->current() == 1 ? ReportForm::slides : ReportForm::paper;
    const std::uint64_t seed = m_workspace.bridge().seed();
    m_writing = true;
    m_write->setEnabled(false);
    showMessage(tr("Computing what is not known yet"), u"tertiary"_s);
    m_workspace.insights().run<Result<Findings>>(
        this, kJob, tr("Report"),
        [evaluator = m_workspace.bridge().evaluator(), query, seed](std::stop_token stop, const JobProgress& progress) {
            InsightOptions options;
            options.seed = seed;
            options.stop = std::move(stop);
            options.progress = [&progress](double share, std::string_view what) {
                progress(share, QString::fromUtf8(what.data(), static_cast<qsizetype>(what.size())));
            };
            return foundOf(*evaluator, query, options);
        },
        [this, path, form](const std::shared_ptr<const Result<Findings>>& found) { finish(*found, path, form); });
}

QString ReportDialog::write(const Findings& found, const QString& path, ReportForm form) const
{
    const QString problem = writeReport(path, found, form);
    return problem.isEmpty() && m_bundle->isChecked() ? writeReportBundle(bundleFolder(path), found) : problem;
}

void ReportDialog::finish(const Result<Findings>& found, const QString& path, ReportForm form)
{
    const QString problem = found.ok()               ? write(*found, path, form)
                            : found.errors().empty() ? tr("Nothing was found.")
                                                     : QString::fromStdString(found.errors().front().message);
    end(problem.isEmpty() ? tr("Wrote %1").arg(path) : problem, problem.isEmpty() ? u"good"_s : u"error"_s);
}

} // namespace prism::ui
