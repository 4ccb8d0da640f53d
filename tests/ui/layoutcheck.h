// SPDX-License-Identifier: GPL-3.0-or-later
// What a layout must not do: shorten essential text, write over text, cut letters or controls. Each defect is listed once, with its
// places.
#pragma once

#include "tests/ui/paintedtext.h"
#include "ui/plot/plotbase.h"
#include "ui/theme/segmented.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMap>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSet>

#include <gtest/gtest.h>

namespace prism::ui::test {

/// Collects defects by their text, so that one that occurs at forty sizes is listed once.
class LayoutDefects final {
public:
    /// Names that users give: they may end with an ellipsis, their tips have them whole.
    explicit LayoutDefects(QString longName) : m_longName(std::move(longName)) {}

    void look(QWidget& window, const QString& where)
    {
        m_where = where;
        learnOwnEllipses(window);
        const QList<PaintedText> texts = paintedTexts(window);
        EXPECT_GT(texts.size(), 1) << where.toStdString() << ": nothing is written here";
        lookAtTexts(texts);
        for (const PaintedText& t : texts)
            if (t.on)
                lookAtWidget(window, t);
        for (QWidget* part : window.findChildren<QWidget*>())
            if (isControl(*part) && part->isVisible())
                lookAtControl(*part);
    }
    /// A picture for paper: everything on it, nothing shortened but names.
    void lookAtPaper(const QList<PaintedText>& texts, QSize size, const QString& where)
    {
        m_where = where;
        lookAtTexts(texts);
        for (const PaintedText& t : texts)
            if (!QRectF(QPointF(-1, -1), size + QSize(2, 2)).contains(t.rect))
                add(QStringLiteral("\"%1\" is written beyond the paper").arg(t.text));
    }
    void add(const QString& defect) { m_found[defect] << m_where; }

    [[nodiscard]] int count() const { return static_cast<int>(m_found.size()); }
    [[nodiscard]] std::string text() const
    {
        std::string all;
        for (auto defect = m_found.begin(); defect != m_found.end(); ++defect)
            all += QStringLiteral("  %1\n      at %2, %3 in all\n")
                       .arg(defect.key(), defect.value().front())
                       .arg(defect.value().size())
                       .toStdString();
        return all;
    }

private:
    static bool isControl(const QWidget& part)
    {
        return qobject_cast<const QAbstractButton*>(&part) || qobject_cast<const QLabel*>(&part) || qobject_cast<const QLineEdit*>(&part)
               || qobject_cast<const QComboBox*>(&part) || qobject_cast<const PlotBase*>(&part)
               || qobject_cast<const SegmentedControl*>(&part);
    }
    /// Commands that open a dialog end with their own ellipsis.
    void learnOwnEllipses(const QWidget& window)
    {
        const auto learn = [this](const QString& text) {
            if (text.contains(u'…'))
                m_own << plain(text);
        };
        for (const QAction* action : window.findChildren<QAction*>())
            learn(action->text());
        for (const QAbstractButton* button : window.findChildren<QAbstractButton*>())
            learn(button->text());
    }
    static QString plain(QString text) { return text.remove(u'&').trimmed(); }
    /// Whether every ellipsis in the text is a writer's own, "Open a trace…" or "2 … 16", or ends the name that a user gave.
    [[nodiscard]] bool mayBeShort(const QString& text) const
    {
        static const QRegularExpression range(QStringLiteral("\\d … \\d"));
        QString rest = plain(text).remove(range);
        for (const QString& own : m_own)
            rest.remove(own);
        const QString begin = rest.section(u'…', 0, 0).trimmed();
        return !rest.contains(u'…') || endsInLongName(begin);
    }
    [[nodiscard]] bool endsInLongName(const QString& text) const
    {
        constexpr qsizetype kMin = 3; // letters by which a name is known
        for (qsizetype n = kMin; n <= std::min(text.size(), m_longName.size()); ++n)
            if (text.endsWith(m_longName.left(n)))
                return true;
        return false;
    }
    void lookAtTexts(const QList<PaintedText>& texts)
    {
        for (const PaintedText& t : texts) {
            if (t.text.contains(u'…') && !mayBeShort(t.text))
                add(QStringLiteral("\"%1\" is shortened").arg(t.text));
            if (t.covered)
                add(QStringLiteral("\"%1\" is painted over").arg(t.text));
        }
        for (qsizetype i = 0; i < texts.size(); ++i)
            for (qsizetype k = i + 1; k < texts.size(); ++k)
                if (collide(texts[i].seen, texts[k].seen))
                    add(QStringLiteral("\"%1\" and \"%2\" are written over each other").arg(texts[i].text, texts[k].text));
    }
    static bool scrolls(const QWidget& part)
    {
        const auto* area = qobject_cast<const QAbstractScrollArea*>(part.parentWidget());
        return area && area->viewport() == &part;
    }
    void lookAtWidget(const QWidget& window, const PaintedText& t)
    {
        if (scrolls(*t.on) || qobject_cast<const QLineEdit*>(t.on)) // its rows, or what is typed, can be scrolled to
            return;
        const QRectF own(t.on->mapTo(&window, QPoint()), t.on->size());
        if (!own.adjusted(-1.5, -1.5, 1.5, 1.5).contains(t.rect))
            add(QStringLiteral("\"%1\" is cut by its %2").arg(t.text, QString::fromLatin1(t.on->metaObject()->className())));
    }
    void lookAtControl(const QWidget& part)
    {
        const QWidget* parent = part.parentWidget();
        if (!parent || part.isWindow() || scrolls(*parent) || part.size().isEmpty())
            return;
        for (const QWidget* around = parent; around && !scrolls(*around); around = around->isWindow() ? nullptr : around->parentWidget())
            if (!around->rect().adjusted(-1, -1, 1, 1).contains(QRect(part.mapTo(around, QPoint()), part.size()))) {
                add(QStringLiteral("%1 is beyond its %2").arg(nameOf(part), QString::fromLatin1(around->metaObject()->className())));
                break;
            }
        const QSize smallest = part.minimumSizeHint();
        const bool needsAll = qobject_cast<const QAbstractButton*>(&part) || qobject_cast<const PlotBase*>(&part);
        if (needsAll && (part.width() + 1 < smallest.width() || part.height() + 1 < smallest.height()))
            add(QStringLiteral("%1 has less room than it needs").arg(nameOf(part)));
    }
    static QString nameOf(const QWidget& part)
    {
        QString text = part.accessibleName();
        if (const auto* button = qobject_cast<const QAbstractButton*>(&part); button && !button->text().isEmpty())
            text = button->text();
        if (const auto* label = qobject_cast<const QLabel*>(&part))
            text = label->text();
        return QStringLiteral("%1 \"%2\"").arg(QString::fromLatin1(part.metaObject()->className()), text.left(60));
    }

    QString m_longName, m_where;
    QSet<QString> m_own;
    QMap<QString, QStringList> m_found;
};

} // namespace prism::ui::test
