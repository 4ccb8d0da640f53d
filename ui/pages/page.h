// One page of the centre: what it is given, what it shows, and what every page can do (table, copy, export).
#pragma once

#include "core/engine/evaluator.h"

#include <QJsonObject>
#include <QList>
#include <QString>
#include <QStringList>
#include <QWidget>

namespace prism::ui {

class InsightRunner;
class Selection;
class StudyModel;

/// One scenario as charts show it.
struct ShownScenario {
    int id = -1;
    QString name;
    int colour = 0; ///< index into the theme's series colours and dashes
    bool visible = true, isBaseline = false, isCurrent = false;
    bool stale = false;   ///< an edit is being computed, or the present input is wrong: dim, and say so
    SnapshotPtr snapshot; ///< the last valid result; null before the first one
};

/// Everything that a page may look at; a value that is made anew after each change. Pointers live as long as the window.
struct PageContext {
    QList<ShownScenario> scenarios; ///< in table order, not the archived ones
    int currentId = -1, baselineId = -1;
    double limitSeconds = 0;              ///< the step-time limit; 0 = none
    bool sameScale = false;               ///< axes hold every scenario that a page has shown, not the current one alone
    std::shared_ptr<Evaluator> evaluator; ///< for insight jobs (thread-safe, memoised)
    Selection* selection = nullptr;
    StudyModel* study = nullptr; ///< commands
    InsightRunner* insights = nullptr;

    [[nodiscard]] const ShownScenario* find(int id) const
    {
        for (const ShownScenario& s : scenarios)
            if (s.id == id)
                return &s;
        return nullptr;
    }
    [[nodiscard]] const ShownScenario* current() const { return find(currentId); }
    [[nodiscard]] const ShownScenario* baseline() const { return find(baselineId); }
};

/// A chart as a table: what a screen reader reads, what Copy puts on the clipboard as TSV, what Export writes as CSV.
/// Numbers with round-trip digits in the C locale; units stand in the header.
struct TableData {
    QStringList header;
    QList<QStringList> rows;
};

/// GUI thread only. setContext is called after each change while the page is shown, and once when it gets shown; a page
/// starts its insight jobs there. Charts are drawn from the context alone.
class Page : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;

    [[nodiscard]] virtual QString id() const = 0;    ///< "sensitivity": names of files, help topic, saved state
    [[nodiscard]] virtual QString title() const = 0; ///< "Sensitivity": the tab
    virtual void setContext(const PageContext& context) = 0;
    [[nodiscard]] virtual QWidget* tools() { return nullptr; } ///< left part of the tool row; owned by the page
    [[nodiscard]] virtual TableData asTable() const = 0;
    /// Paints the page's charts, without controls, for PNG, SVG and PDF. The window has switched to the light palette.
    virtual void paintExport(QPainter& painter);
    [[nodiscard]] virtual QSize exportSize() const { return size(); }
    /// True while what is shown is not the answer to the present context (used by screenshots and tests).
    [[nodiscard]] virtual bool isComputing() const { return false; }
    [[nodiscard]] virtual QJsonObject saveState() const { return {}; } ///< mode, zoom: kept with the session
    virtual void restoreState(const QJsonObject&) {}
};

} // namespace prism::ui
