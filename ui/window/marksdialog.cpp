// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/marksdialog.h"

#include "core/base/diagnostictext.h"
#include "ui/model/stepmarks.h"
#include "ui/theme/plaintext.h"
#include "ui/window/dialogparts.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace prism::ui {

using namespace Qt::StringLiterals;

MarksDialog::MarksDialog(Workspace& workspace, const Theme& theme, double seconds, QWidget* parent)
    : QDialog(parent),
      m_workspace(workspace),
      m_lines(new QPlainTextEdit)
{
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName(u"marksDialog"_s);
    setWindowTitle(tr("Marks on the step-time axis"));
    QVBoxLayout* layout = makeDialogLayout(*this, theme);
    QLabel* hint = plainLabel(tr("One per line: a time, then text. The chart and its pictures show them."), u"secondary"_s);
    hint->setWordWrap(true);
    layout->addWidget(hint);
    m_lines->setObjectName(u"marks"_s);
    m_lines->setAccessibleName(tr("Marks: a time and words on each line"));
    m_lines->setPlaceholderText(tr("6.8 s the contract"));
    m_lines->setTabChangesFocus(true);
    m_lines->setReadOnly(workspace.study().isReadOnly());
    QString text = textOf(workspace.study().state().marks);
    if (seconds > 0)
        text += (text.isEmpty() ? QString() : u"\n"_s) + QString::number(seconds, 'g', 4) + u" s "_s;
    m_lines->setPlainText(text);
    m_lines->moveCursor(QTextCursor::End);
    layout->addWidget(m_lines, 1);
    m_problem = addSetButtons(*this, tr("Set marks"));
    resize(theme.px(460), theme.px(300));
}

QString MarksDialog::problem() const
{
    return m_problem->text();
}

void MarksDialog::accept()
{
    const Result<std::vector<TimeMark>> marks = marksFrom(m_lines->toPlainText());
    if (!marks.ok()) {
        m_problem->setText(QString::fromStdString(sentence(marks.errors().front())));
        return;
    }
    m_workspace.study().setMarks(*marks);
    QDialog::accept();
}

} // namespace prism::ui
