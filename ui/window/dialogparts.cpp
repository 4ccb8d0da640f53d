// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/dialogparts.h"

#include "ui/theme/plaintext.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace prism::ui {

using namespace Qt::StringLiterals;

QVBoxLayout* makeDialogLayout(QDialog& dialog, const Theme& theme)
{
    auto* layout = new QVBoxLayout(&dialog);
    const int margin = theme.px(metric::cardPadding);
    layout->setContentsMargins(margin, margin, margin, margin);
    layout->setSpacing(theme.px(metric::cardGap));
    return layout;
}

QLabel* addSetButtons(QDialog& dialog, const QString& set)
{
    QLabel* problem = plainLabel({}, u"error"_s);
    problem->setWordWrap(true);
    dialog.layout()->addWidget(problem);
    auto* buttons = new QDialogButtonBox;
    buttons->addButton(set, QDialogButtonBox::AcceptRole)->setProperty("kind", u"primary closing"_s);
    buttons->addButton(QObject::tr("Cancel"), QDialogButtonBox::RejectRole)->setProperty("kind", u"closing"_s);
    dialog.layout()->addWidget(buttons);
    QObject::connect(buttons, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
    QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    return problem;
}

} // namespace prism::ui
