// Draws table cells that hold a figure: a value, its change and its interval in different weights and colours.
#pragma once

#include "ui/theme/theme.h"

#include <QList>
#include <QMetaType>
#include <QStyledItemDelegate>

namespace prism::ui {

/// One piece of a figure's text.
struct FigureRun {
    QString text;
    Type type = Type::body;
    Role role = Role::text;
};
using FigureRuns = QList<FigureRun>;

/// A curve sample: the colour and dash of a scenario.
struct SeriesSample {
    int colour = -1;
    bool baseline = false, hidden = false;
};

/// Roles of items that this delegate understands besides the display text (which stays the accessible reading).
enum FigureItemRole { kRunsRole = Qt::UserRole + 40, kSampleRole, kBrushedRole };

class FigureDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    FigureDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// Two lines: a value over what follows it.
    void setStacked(bool stacked) { m_stacked = stacked; }
    [[nodiscard]] int rowHeight() const { return m_theme.px(m_stacked ? metric::row + 16 : metric::row); }

private:
    /// The lines of a cell.
    [[nodiscard]] QList<FigureRuns> lines(const QModelIndex& index) const;

    const Theme& m_theme;
    bool m_stacked = false;
};

/// Draws a curve sample of `width` around the vertical centre of `rect`.
void drawSeriesSample(QPainter& painter, const QRectF& rect, const Look& look, int colour, bool baseline, bool hidden = false);
/// Draws runs from the left, elided at the right end; returns the width used.
double drawRuns(QPainter& painter, const QRectF& rect, const FigureRuns& runs, const Look& look, bool dimmed = false);
/// "5.0 %" with "± 0.4"; at the ends "< 0.1 %" and "> 99.9 %", which need no interval.
[[nodiscard]] FigureRuns shareRuns(double share, double halfWidth);
[[nodiscard]] QString plainText(const FigureRuns& runs);

} // namespace prism::ui

Q_DECLARE_METATYPE(prism::ui::FigureRuns)
Q_DECLARE_METATYPE(prism::ui::SeriesSample)
