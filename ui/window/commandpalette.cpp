// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/commandpalette.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QVBoxLayout>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

constexpr int kMaxShown = 60;

class EntryDelegate final : public QStyledItemDelegate {
public:
    EntryDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}
    void paint(QPainter* p, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Look& look = m_theme.look();
        p->fillRect(option.rect, look[option.state & QStyle::State_Selected ? Role::selection : Role::panel]);
        const QRect r = option.rect.adjusted(look.px(12), 0, -look.px(12), 0);
        p->setFont(look.font(Type::tick));
        p->setPen(look[Role::textTertiary]);
        p->drawText(r, Qt::AlignRight | Qt::AlignVCenter, index.data(Qt::UserRole + 1).toString());
        p->setFont(look.font(Type::body));
        p->setPen(look[index.flags() & Qt::ItemIsEnabled ? Role::text : Role::textTertiary]);
        p->drawText(r, Qt::AlignLeft | Qt::AlignVCenter, index.data().toString());
    }
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& /*option*/, const QModelIndex& /*index*/) const override
    {
        return {100, m_theme.px(metric::row)};
    }

private:
    const Theme& m_theme;
};

} // namespace

int paletteScore(const PaletteEntry& entry, const QString& query)
{
    int score = 1;
    for (const QString& word : query.split(u' ', Qt::SkipEmptyParts)) {
        if (entry.text.startsWith(word, Qt::CaseInsensitive))
            score += 8;
        else if (entry.text.contains(u' ' + word, Qt::CaseInsensitive) || entry.text.contains(u'(' + word, Qt::CaseInsensitive))
            score += 5;
        else if (entry.text.contains(word, Qt::CaseInsensitive))
            score += 3;
        else if (entry.keywords.contains(word, Qt::CaseInsensitive))
            score += 1;
        else
            return 0;
    }
    return score;
}

CommandPalette::CommandPalette(const Theme& theme, QList<PaletteEntry> entries, QWidget* parent)
    : QDialog(parent, Qt::Popup | Qt::FramelessWindowHint),
      m_theme(theme),
      m_entries(std::move(entries))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName(u"commandPalette"_s);
    setAccessibleName(tr("Command search"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(theme.px(8), theme.px(8), theme.px(8), theme.px(8));
    m_query = new QLineEdit;
    m_query->setPlaceholderText(tr("Search commands, parameters and scenarios"));
    m_query->setAccessibleName(m_query->placeholderText());
    m_list = new QListWidget;
    m_list->setItemDelegate(new EntryDelegate(theme, m_list));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setAccessibleName(tr("Commands found"));
    layout->addWidget(m_query);
    layout->addWidget(m_list);
    resize(theme.px(560), theme.px(380));
    m_query->installEventFilter(this);
    connect(m_query, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_query, &QLineEdit::returnPressed, this, &CommandPalette::runCurrent);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::runCurrent);
    filter({});
    m_query->setFocus();
}

int CommandPalette::shownCount() const
{
    return m_list->count() == 1 && m_list->item(0)->flags() == Qt::NoItemFlags ? 0 : m_list->count();
}
void CommandPalette::setQuery(const QString& text)
{
    m_query->setText(text);
}
void CommandPalette::runFirst()
{
    runCurrent();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_query && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : key == Qt::Key_PageDown ? 10 : key == Qt::Key_PageUp ? -10 : 0;
        if (step != 0 && m_list->count() > 0) {
            m_list->setCurrentRow(std::clamp(m_list->currentRow() + step, 0, m_list->count() - 1));
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

void CommandPalette::filter(const QString& text)
{
    QList<std::pair<int, int>> hits; // score, entry
    for (int i = 0; i < m_entries.size(); ++i)
        if (const int score = paletteScore(m_entries[i], text); score > 0)
            hits << std::pair{-score, i};
    std::stable_sort(hits.begin(), hits.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    m_list->clear();
    for (const auto& [score, i] : hits.first(std::min<qsizetype>(kMaxShown, hits.size()))) {
        auto* item = new QListWidgetItem(m_entries[i].text, m_list);
        item->setData(Qt::UserRole, i);
        if (!m_entries[i].run)
            item->setFlags(Qt::NoItemFlags);
        item->setData(Qt::UserRole + 1,
                      m_entries[i].shortcut.isEmpty() ? m_entries[i].kind : u"%1   %2"_s.arg(m_entries[i].kind, m_entries[i].shortcut));
    }
    m_list->setCurrentRow(0);
    if (!hits.isEmpty())
        return;
    auto* nothing = new QListWidgetItem(tr("Nothing found"), m_list);
    nothing->setFlags(Qt::NoItemFlags);
    m_list->setCurrentRow(-1);
}

void CommandPalette::runCurrent()
{
    const QListWidgetItem* item = m_list->currentItem();
    if (!item || !item->flags().testFlag(Qt::ItemIsEnabled))
        return;
    const auto run = m_entries[item->data(Qt::UserRole).toInt()].run;
    QTimer::singleShot(0, parentWidget(), run); // after the popup has gone
    close();
}

} // namespace prism::ui
