// SPDX-License-Identifier: GPL-3.0-or-later
// One page of the centre: its context, its state, and functions of every page (table, copy, export).
#pragma once

#include "ui/look/tabledata.h"
#include "ui/workspace/context.h"
#include "ui/workspace/pagestate.h"

#include <QJsonObject>
#include <QStringList>
#include <QWidget>

namespace prism::ui {

/// GUI thread only. setContext is called after each change while the page is shown, and once when it gets shown; a page
/// starts its insight jobs there. Charts are drawn from the context alone.
class Page : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;

    [[nodiscard]] virtual QString id() const = 0;    ///< "sensitivity": names of files, help topic, saved state
    [[nodiscard]] virtual QString title() const = 0; ///< "Sensitivity": the tab
    /// The question that it helps with: "Understand", "Decide" or "Check"; pages of one group are next to each other.
    [[nodiscard]] virtual QString group() const { return tr("Understand"); }
    /// One sentence that answers the page's question for the present input; empty = the study's answer.
    [[nodiscard]] virtual QString answer() const { return {}; }
    [[nodiscard]] virtual bool hasContent() const { return true; } ///< something to copy and to export is shown
    virtual void setContext(const PageContext& context) = 0;
    [[nodiscard]] virtual QWidget* tools() { return nullptr; } ///< left part of the tool row; owned by the page
    [[nodiscard]] virtual TableData asTable() const = 0;
    /// Paints the page's charts, without controls, for PNG, SVG and PDF. The window has switched to the light palette.
    virtual void paintExport(QPainter& painter);
    [[nodiscard]] virtual QSize exportSize() const { return size(); }
    /// Notes for a picture, which lacks the titles around the page on screen.
    [[nodiscard]] virtual QStringList paperNotes() const { return {}; }
    /// The chart that the page is about; in presentation mode it is whole without scrolling.
    [[nodiscard]] virtual const QWidget* mainChart() const { return nullptr; }
    /// An insight whose shown result is not the one that belongs on screen, where there is one; its tokens name both.
    [[nodiscard]] virtual InsightStatus otherResult() const { return {.hasAnswer = true, .isCurrent = true}; }
    /// The shown state: the answer to the present context, an earlier one, or why there is none.
    [[nodiscard]] virtual PageState state() const = 0;
    /// True while a job of this page runs or waits: what is shown will change without another context. Step times that are being
    /// computed are not the page's own work; it is given another context when they are there.
    [[nodiscard]] virtual bool isComputing() const { return false; }
    /// Starts what waits for a press: pictures that are made without a user show its answer too.
    virtual void startAll() {}
    [[nodiscard]] virtual QJsonObject saveState() const { return {}; } ///< mode, zoom: kept with the session
    virtual void restoreState(const QJsonObject& /*state*/) {}
    /// Names that the page prints, each with the parameter behind it, for the command search.
    [[nodiscard]] virtual QList<std::pair<QString, QString>> printedNames() const { return {}; }

Q_SIGNALS:
    void shownChanged();                                 ///< other data or another state of them
    void metricRequested(const QString& key);            ///< the user asks for the source of a value
    void goalRequested(double seconds);                  ///< p95 was pulled to this time: what would reach it?
    void markRequested(double seconds);                  ///< a mark on the step-time axis
    void pageRequested(const QString& id);               ///< another page shows what belongs to this one
    void parameterRequested(const QString& parameterId); ///< the user picked something that this parameter decides
};

} // namespace prism::ui
