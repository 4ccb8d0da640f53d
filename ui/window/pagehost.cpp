// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/pagehost.h"

#include "ui/look/format.h"
#include "ui/pages/card.h"
#include "ui/plot/paper.h"
#include "ui/theme/icons.h"
#include "ui/window/pagetabs.h"
#include "ui/theme/barelayout.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHeaderView>
#include <QMimeData>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QTableWidget>
#include <QVBoxLayout>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {
constexpr double kMinPage = 48;
}

PageHost::PageHost(Workspace& workspace, Theme& theme, QWidget* parent) : QWidget(parent), m_workspace(workspace), m_theme(theme)
{
    auto* layout = bareLayout<QVBoxLayout>(this, 0);
    m_tabs = new PageTabs(theme);
    layout->addWidget(m_tabs);
    auto* line = new QFrame;
    line->setProperty("separator", true);
    layout->addWidget(line);
    layout->addWidget(makeToolRow());
    m_both = new QStackedWidget;
    m_stack = new QStackedWidget;
    m_table = new QTableWidget;
    m_table->setObjectName(u"pageTable"_s);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->verticalHeader()->hide();
    m_table->setSortingEnabled(false);
    m_both->addWidget(m_stack);
    m_both->addWidget(m_table);
    m_both->setMinimumHeight(theme.px(kMinPage)); // scroll bars would ask for more, and the tools above would be cut
    auto* margin = new QVBoxLayout;
    margin->setContentsMargins(theme.px(16), 0, theme.px(16), theme.px(12));
    margin->addWidget(m_both);
    layout->addLayout(margin, 1);

    connect(m_tabs, &QTabBar::currentChanged, this, &PageHost::turnTo);
    connect(&workspace, &Workspace::contextChanged, this, &PageHost::deliver);
    connect(&theme, &Theme::changed, this, &PageHost::restyleTools);
    restyleTools();
    m_fill.setSingleShot(true);
    m_fill.setInterval(0);
    connect(&m_fill, &QTimer::timeout, this, &PageHost::fillTable);
}

QWidget* PageHost::makeToolRow()
{
    m_toolRow = new QWidget;
    auto* tools = new QHBoxLayout(m_toolRow);
    tools->setContentsMargins(m_theme.px(16), m_theme.px(8), m_theme.px(16), m_theme.px(8));
    tools->setSpacing(m_theme.px(8));
    m_tools = new QHBoxLayout; // of each page; only the current ones are shown, and are as high as they need
    tools->addLayout(m_tools, 1);
    m_tableButton = new QPushButton(tr("Table"));
    m_tableButton->setCheckable(true);
    m_copyButton = new QPushButton(tr("Copy"));
    m_exportButton = new QPushButton(tr("Export"));
    m_tableButton->setToolTip(tr("Show the figures of this page as a table"));
    m_copyButton->setToolTip(tr("Copy the page as an image and its figures as a table"));
    m_exportButton->setToolTip(tr("Write PNG, SVG, PDF or CSV"));
    for (QPushButton* button : {m_tableButton, m_copyButton, m_exportButton}) {
        button->setAccessibleName(button->text()); // a narrow row shows icons alone
        tools->addWidget(button, 0, Qt::AlignTop); // next to the first line of the page's own
    }
    connect(m_tableButton, &QPushButton::toggled, this, [this](bool on) {
        fillTable();
        m_both->setCurrentIndex(on ? 1 : 0);
    });
    connect(m_copyButton, &QPushButton::clicked, this, &PageHost::copy);
    connect(m_exportButton, &QPushButton::clicked, this, &PageHost::exportDialog);
    return m_toolRow;
}

void PageHost::turnTo(int index)
{
    m_stack->setCurrentIndex(index);
    for (int i = 0; i < m_tools->count(); ++i)
        m_tools->itemAt(i)->widget()->setVisible(i == index);
    fitTools();
    deliver();
    Q_EMIT currentChanged();
}

void PageHost::restyleTools()
{
    m_tableButton->setIcon(icon(Icon::table, m_theme.look()));
    m_copyButton->setIcon(icon(Icon::copy, m_theme.look()));
    m_exportButton->setIcon(icon(Icon::exportFile, m_theme.look()));
    fitTools();
}

void PageHost::fitTools()
{
    QPushButton* const buttons[] = {m_tableButton, m_copyButton, m_exportButton};
    const QMargins around = m_toolRow->layout()->contentsMargins();
    const auto widthWith = [&](bool words, int tools) {
        int need = around.left() + around.right() + tools;
        for (QPushButton* button : buttons) {
            button->setText(words ? button->accessibleName() : QString());
            need += m_toolRow->layout()->spacing() + button->sizeHint().width();
        }
        return need;
    };
    const QLayoutItem* tools = m_tools->itemAt(m_tabs->currentIndex());
    const bool words = widthWith(true, tools ? tools->widget()->sizeHint().width() : 0) <= width();
    const bool cramped = widthWith(words, tools ? tools->widget()->minimumSizeHint().width() : 0) > width() && tools;
    for (QPushButton* button : buttons) // in presentation mode their keys are enough
        button->setVisible(!cramped || !m_theme.presentation());
}

void PageHost::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitTools();
}

void PageHost::addPage(Page* page)
{
    m_pages << page;
    auto* scroll = new QScrollArea; // a page that is larger than its place
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(page);
    m_stack->addWidget(scroll);
    QWidget* tools = page->tools() ? page->tools() : new QWidget;
    m_tools->addWidget(tools);
    tools->setVisible(m_tools->count() == 1);
    m_tabs->addPage(page->title(), page->group());
    connect(page, &Page::shownChanged, this, [this, page] {
        if (page != current())
            return;
        if (isTableShown())
            m_fill.start();
        offerExport();
        Q_EMIT answerChanged();
    });
}

void PageHost::showPage(int index)
{
    if (index >= 0 && index < m_pages.size())
        m_tabs->setCurrentIndex(index);
}

void PageHost::showPage(const QString& id)
{
    for (int i = 0; i < m_pages.size(); ++i)
        if (m_pages[i]->id() == id)
            showPage(i);
}

void PageHost::setTableShown(bool shown)
{
    m_tableButton->setChecked(shown);
}
bool PageHost::isTableShown() const
{
    return m_tableButton->isChecked();
}
Page* PageHost::current() const
{
    return m_pages.value(m_tabs->currentIndex());
}

Page* PageHost::page(const QString& id) const
{
    for (Page* page : m_pages)
        if (page->id() == id)
            return page;
    return nullptr;
}

void PageHost::deliver()
{
    Page* page = current();
    if (!page || m_workspace.context().scenarios.isEmpty())
        return;
    m_workspace.insights().setFront(page); // what is looked at is computed first
    page->setContext(m_workspace.context());
    fitTools(); // a label may have changed
    offerExport();
    Q_EMIT answerChanged();
    if (isTableShown())
        fillTable();
}

void PageHost::offerExport()
{
    for (QPushButton* button : {m_copyButton, m_exportButton})
        button->setEnabled(current()->hasContent());
}

void PageHost::fillTable()
{
    Page* page = current();
    if (!page)
        return;
    const TableData data = page->asTable();
    m_table->setAccessibleName(tr("%1 as a table").arg(page->title()));
    m_table->setColumnCount(static_cast<int>(data.header.size()));
    QStringList header;
    for (const QString& id : data.header)
        header << format::tableHeader(id);
    m_table->setHorizontalHeaderLabels(header);
    constexpr int kMaxRows = 2000; // a table for reading; Export writes all rows
    const int rows = std::min<int>(kMaxRows, static_cast<int>(data.rows.size()));
    m_table->setRowCount(rows);
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < data.rows[r].size(); ++c) {
            auto* item = new QTableWidgetItem(format::tableCell(data.rows[r][c]));
            bool number = false;
            data.rows[r][c].toDouble(&number);
            if (number)
                item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            m_table->setItem(r, c, item);
        }
    m_table->resizeColumnsToContents();
    setCardStale(*m_table, textOf(page->state(), true, {}, page->otherResult()).note);
}

Picture PageHost::pictureOf(Page& page) const
{
    PaperText text = paperText(m_workspace.context(), page.title());
    const InsightStatus other = page.otherResult();
    text.notes = page.paperNotes() + text.notes;
    if (!(other.shown == other.requested)) // export metadata would belong to another picture
        text.notes.prepend(textOf(PageState::outdated, true, {}, other).note + u'.');
    Picture picture = onPaper(
        text, page.exportSize(), [&page](QPainter& painter) { page.paintExport(painter); }, Look(lightPalette(), m_theme.look().scale()));
    if (const ShownScenario* s = m_workspace.context().current(); s && s->snapshot && other.shown == other.requested)
        picture.metadata = {s->name,
                            QString::fromStdString(s->snapshot->hash.text()),
                            s->snapshot->seed,
                            static_cast<std::int64_t>(s->snapshot->across.samples),
                            QCoreApplication::applicationVersion(),
                            page.id(),
                            QString::fromStdString(toJson(s->snapshot->scenario))};
    return picture;
}

namespace {

/// Exports use the light palette; the screen comes back as it was.
class LightWhileExporting final {
public:
    explicit LightWhileExporting(Theme& theme) : m_theme(theme), m_mode(theme.mode())
    {
        if (theme.isDark())
            m_theme.setMode(Theme::Mode::light);
    }
    ~LightWhileExporting() { m_theme.setMode(m_mode); }

private:
    Theme& m_theme;
    Theme::Mode m_mode;
};

} // namespace

void PageHost::copy()
{
    Page* page = current();
    if (!page || !page->hasContent())
        return Q_EMIT message(tr("There is nothing to copy yet"));
    const LightWhileExporting light(m_theme);
    QGuiApplication::clipboard()->setMimeData(toMimeData(pictureOf(*page), page->asTable()));
    Q_EMIT message(tr("Copied %1 as an image and a table").arg(page->title()));
}

QString PageHost::exportTo(const QString& path, TableText texts)
{
    Page* page = current();
    if (!page)
        return tr("There is no page to export.");
    const LightWhileExporting light(m_theme);
    return writeExport(path, pictureOf(*page), page->asTable(), texts);
}

void PageHost::exportDialog()
{
    Page* page = current();
    if (!page || !page->hasContent())
        return Q_EMIT message(tr("There is nothing to export yet"));
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Export %1").arg(page->title()), u"%1/%2.png"_s.arg(folder, page->id()),
                                     tr("Picture (*.png);;Drawing (*.svg);;Document (*.pdf);;Figures (*.csv);;Figures (*.tsv)"));
    if (path.isEmpty())
        return;
    const QString error = exportTo(path);
    Q_EMIT message(error.isEmpty() ? tr("Wrote %1").arg(path) : error);
}

} // namespace prism::ui
