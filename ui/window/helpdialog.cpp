// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/helpdialog.h"

#include "core/scenario/parameters.h"
#include "ui/window/dialogs.h"

#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSplitter>
#include <QTextBlock>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <algorithm>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

const QString kMetricPrefix = u"figure:"_s;

QString pageText(const QString& name)
{
    QFile file(u":/help/%1.md"_s.arg(name));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// A line without the marks of Markdown.
QString plainLine(QString line)
{
    static const QString kMarks = u"#*`|"_s;
    for (const QChar mark : kMarks)
        line.remove(mark);
    return line.simplified();
}

} // namespace

QList<HelpHit> helpHits(const QString& words, int largest)
{
    const QStringList requested = words.split(u' ', Qt::SkipEmptyParts);
    QList<HelpHit> headings, lines;
    if (requested.isEmpty())
        return {};
    for (const QString& file : QDir(u":/help"_s).entryList({u"*.md"_s}, QDir::Files, QDir::Name)) {
        const QString page = file.chopped(3);
        const QStringList all = pageText(page).split(u'\n');
        QString title = page;
        for (int i = 0; i < all.size(); ++i) {
            if (title == page && all[i].startsWith(u"# "))
                title = plainLine(all[i]);
            const bool hit =
                std::all_of(requested.begin(), requested.end(), [&](const QString& w) { return all[i].contains(w, Qt::CaseInsensitive); });
            if (hit)
                (all[i].startsWith(u'#') ? headings : lines) << HelpHit{page, title, plainLine(all[i]), i};
        }
    }
    return (headings + lines).mid(0, largest);
}

HelpDialog::HelpDialog(const Theme& theme, QWidget* parent) : QDialog(parent)
{
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName(u"helpDialog"_s);
    setWindowTitle(tr("Help"));
    setAccessibleName(windowTitle());
    resize(theme.px(860), theme.px(640));
    auto* layout = new QVBoxLayout(this);
    const int margin = theme.px(metric::cardPadding);
    layout->setContentsMargins(margin, margin, margin, margin);
    layout->setSpacing(theme.px(12));
    auto* row = new QHBoxLayout;
    for (const auto& [text, page] :
         {std::pair{tr("Contents"), u"index"_s}, {tr("Metrics"), u"metrics"_s}, {tr("Parameters"), u"parameters"_s}}) {
        auto* button = new QPushButton(text);
        button->setAutoDefault(false);
        connect(button, &QPushButton::clicked, this, [this, page = page] { open(page); });
        row->addWidget(button);
    }
    m_query = new QLineEdit;
    m_query->setObjectName(u"helpSearch"_s);
    m_query->setPlaceholderText(tr("Search all pages"));
    m_query->setAccessibleName(m_query->placeholderText());
    m_query->setClearButtonEnabled(true);
    row->addWidget(m_query, 1);
    layout->addLayout(row);
    auto* split = new QSplitter;
    m_hits = new QListWidget;
    m_hits->setObjectName(u"helpHits"_s);
    m_hits->setAccessibleName(tr("Places found"));
    m_hits->setWordWrap(true);
    m_hits->hide();
    m_browser = new QTextBrowser;
    m_browser->setAccessibleName(tr("Help text"));
    m_browser->setOpenLinks(false);
    split->addWidget(m_hits);
    split->addWidget(m_browser);
    split->setStretchFactor(1, 1);
    split->setSizes({theme.px(250), theme.px(600)});
    layout->addWidget(split, 1);
    auto* close = new QPushButton(tr("Close"));
    close->setProperty("kind", u"closing"_s);
    close->setAutoDefault(false);
    layout->addWidget(close, 0, Qt::AlignRight);
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    connect(m_query, &QLineEdit::textChanged, this, &HelpDialog::search);
    connect(m_hits, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* item) {
        if (!item || item->data(Qt::UserRole).isNull())
            return;
        showPage(item->data(Qt::UserRole).toString());
        goTo(item->data(Qt::UserRole + 1).toString());
    });
    connect(m_browser, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) { open(url.toString()); });
}

int HelpDialog::hitCount() const
{
    int count = 0;
    for (int i = 0; i < m_hits->count(); ++i)
        count += m_hits->item(i)->data(Qt::UserRole).isNull() ? 0 : 1;
    return count;
}

void HelpDialog::search(const QString& words)
{
    if (m_query->text() != words)
        return m_query->setText(words); // comes back here
    m_hits->clear();
    m_hits->setVisible(!words.trimmed().isEmpty());
    for (const HelpHit& hit : helpHits(words)) {
        auto* item = new QListWidgetItem(u"%1\n%2"_s.arg(hit.title, hit.line.left(160)), m_hits);
        item->setData(Qt::UserRole, hit.page);
        item->setData(Qt::UserRole + 1, words.section(u' ', 0, 0));
    }
    if (m_hits->count() == 0)
        (new QListWidgetItem(tr("Nothing found"), m_hits))->setFlags(Qt::NoItemFlags);
}

void HelpDialog::showPage(const QString& name)
{
    const QString text = pageText(name);
    m_browser->setMarkdown(text.isEmpty() ? pageText(u"index"_s) : text);
}

void HelpDialog::goTo(const QString& text)
{
    m_browser->moveCursor(QTextCursor::Start);
    if (text.isEmpty() || !m_browser->find(text))
        return;
    const QTextCursor found = m_browser->textCursor();
    m_browser->moveCursor(QTextCursor::End); // from below, so that the place comes to be at the top
    m_browser->setTextCursor(found);
    m_browser->ensureCursorVisible();
}

void HelpDialog::open(const QString& topic)
{
    if (topic.startsWith(kMetricPrefix)) {
        showPage(u"metrics"_s);
        return goTo(topic.mid(kMetricPrefix.size()));
    }
    if (findParameter(topic.toStdString())) {
        showPage(u"parameters"_s);
        return goTo(topic);
    }
    QString name = topic.section(u'#', 0, 0);
    if (name.endsWith(u".md"))
        name.chop(3);
    showPage(name.isEmpty() ? u"index"_s : name);
    if (const QString anchor = topic.section(u'#', 1); !anchor.isEmpty())
        goTo(QString(anchor).replace(u'-', u' '));
}

void showHelp(const QString& topic, const Theme& theme, QWidget* parent)
{
    auto* dialog = new HelpDialog(theme, parent);
    dialog->open(topic);
    dialog->show();
}

} // namespace prism::ui
