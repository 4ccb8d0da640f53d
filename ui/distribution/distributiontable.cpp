// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/distribution/distributiontable.h"

#include "ui/distribution/figuredelegate.h"
#include "ui/workspace/distributionmodel.h"

#include <QHeaderView>
#include <QResizeEvent>
#include <QScrollBar>

#include <algorithm>
#include <numeric>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kShares[] = {212, 193, 193, 193, 112, 100}; // of the width, where there is enough
constexpr int kMostRows = 6, kLeastName = 150;            // a longer name is elided and stands in the tip
constexpr int kAllMeasured = 24;                          // rows; of more, those that are seen have the widths that they need
} // namespace

DistributionTable::DistributionTable(const Theme& theme, QAbstractItemModel* model, QWidget* parent)
    : QTableView(parent),
      m_theme(theme),
      m_delegate(new FigureDelegate(theme, this))
{
    setObjectName(u"distributionTable"_s);
    setAccessibleName(tr("Step time of every scenario"));
    setModel(model);
    setItemDelegate(m_delegate);
    setShowGrid(false);
    setSelectionMode(QAbstractItemView::NoSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setTabKeyNavigation(false);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this] {
        if (this->model()->rowCount() > kAllMeasured)
            fit();
    });
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
}

std::pair<int, int> DistributionTable::measuredRows() const
{
    const int rows = model()->rowCount(), first = std::max(0, rowAt(0));
    return m_whole || rows <= kAllMeasured ? std::pair{0, rows} : std::pair{first, std::min(rows, first + kMostRows + 1)};
}

QList<int> DistributionTable::needs(int firstRow, int endRow) const
{
    QList<int> widths;
    for (int column = 0; column < DistributionModel::kColumns; ++column) {
        int need = horizontalHeader()->sectionSizeHint(column);
        for (int row = firstRow; row < endRow; ++row)
            need = std::max(need, m_delegate->sizeHint({}, model()->index(row, column)).width());
        widths << need;
    }
    return widths;
}

void DistributionTable::fit()
{
    const int room = viewport()->width();
    const auto total = [](const QList<int>& widths) { return std::accumulate(widths.begin(), widths.end(), 0); };
    const auto [first, end] = measuredRows();
    m_delegate->setStacked(false);
    QList<int> widths = needs(first, end);
    if (total(widths) > room) {
        m_delegate->setStacked(true);
        widths = needs(first, end);
        widths[DistributionModel::nameColumn] = std::clamp(room - (total(widths) - widths[DistributionModel::nameColumn]),
                                                           m_theme.px(kLeastName), widths[DistributionModel::nameColumn]);
    }
    // Room that is left goes to the columns by their shares.
    const int all = std::accumulate(std::begin(kShares), std::end(kShares), 0);
    QList<int> shared;
    for (const int share : kShares)
        shared << room * share / all;
    shared.back() += room - total(shared);
    const bool fits = std::equal(widths.begin(), widths.end(), shared.begin(), [](int need, int share) { return need <= share; });
    if (const int rest = room - total(widths); !fits && rest > 0)
        for (qsizetype column = 0; column < widths.size(); ++column)
            widths[column] += rest * (static_cast<int>(column) + 1) / static_cast<int>(widths.size())
                              - rest * static_cast<int>(column) / static_cast<int>(widths.size());
    else if (fits)
        widths = shared;
    for (int column = 0; column < DistributionModel::kColumns; ++column)
        setColumnWidth(column, widths[column]);
    const int rowHeight = m_delegate->rowHeight(),
              rows = std::clamp(model()->rowCount(), 1, m_whole ? std::max(model()->rowCount(), 1) : kMostRows);
    if (verticalHeader()->defaultSectionSize() != rowHeight)
        verticalHeader()->setDefaultSectionSize(rowHeight);
    setFixedHeight(horizontalHeader()->sizeHint().height() + rows * rowHeight
                   + (total(widths) > room && !m_whole ? horizontalScrollBar()->sizeHint().height() : 0));
}

void DistributionTable::setWhole(bool whole)
{
    m_whole = whole;
    for (const auto set : {&QAbstractScrollArea::setHorizontalScrollBarPolicy, &QAbstractScrollArea::setVerticalScrollBarPolicy})
        (this->*set)(whole ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
}

QSize DistributionTable::wholeSize() const
{
    const bool stacked = m_delegate->isStacked();
    m_delegate->setStacked(true);
    const QList<int> widths = needs(0, model()->rowCount());
    const int width = std::accumulate(widths.begin(), widths.end(), 0), row = m_delegate->rowHeight();
    m_delegate->setStacked(stacked);
    return {width, horizontalHeader()->sizeHint().height() + std::max(model()->rowCount(), 1) * row};
}

void DistributionTable::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    if (event->size().width() != event->oldSize().width())
        fit();
}

} // namespace prism::ui
