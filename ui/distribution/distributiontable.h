// SPDX-License-Identifier: GPL-3.0-or-later
// The table under the distribution: its figures are never cut. Where the columns do not fit, intervals and changes stand under
// their values; where that is not enough, the table scrolls.
#pragma once

#include "ui/theme/theme.h"

#include <QTableView>

namespace prism::ui {

class FigureDelegate;

/// As high as its rows, six at most. GUI thread only.
class DistributionTable final : public QTableView {
    Q_OBJECT
public:
    DistributionTable(const Theme& theme, QAbstractItemModel* model, QWidget* parent = nullptr);
    /// After new rows, texts or another scale.
    void fit();
    /// Every row and column at once, for a picture: nothing scrolls.
    void setWhole(bool whole);
    [[nodiscard]] QSize wholeSize() const; ///< that it takes then

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    /// Width that each column needs for its header and figures, of these rows.
    [[nodiscard]] QList<int> needs(int firstRow, int endRow) const;
    [[nodiscard]] std::pair<int, int> measuredRows() const; ///< first and end: all of them, or those that are seen of very many

    const Theme& m_theme;
    FigureDelegate* m_delegate;
    bool m_whole = false;
};

} // namespace prism::ui
