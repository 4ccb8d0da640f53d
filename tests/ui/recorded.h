// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded texts of charts and tables: a change of any of them is detected; only packaging/golden.sh renews them. They detect changes;
// whether a value is right is tested by the known answers.
#pragma once

#include "prism_paths.h"
#include "ui/look/tabledata.h"

#include <QFile>
#include <QRegularExpression>
#include <QStringList>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace prism::ui::test {

/// Rows of text in the order in which they were made, compared with a file of tests/ui/golden.
class Recorded {
public:
    void add(const QString& name, const QString& text)
    {
        m_rows << QStringLiteral("%1: %2").arg(name, text).replace(u'\n', u'|').trimmed();
    }
    void add(const QString& name, const TableData& table)
    {
        add(name, table.header.join(QStringLiteral(" | ")));
        for (const QStringList& row : table.rows)
            add(name, row.join(QStringLiteral(" | ")));
    }

    /// Numbers may differ by `slack`, and by 1e-9 of themselves.
    void expectAsIn(const char* file, double slack) const
    {
        constexpr qsizetype kShown = 30;
        QFile kept(QStringLiteral(PRISM_SOURCE_DIR "/tests/ui/golden/") + QString::fromLatin1(file));
        if (qEnvironmentVariableIsSet("PRISM_RENEW_GOLDEN")) {
            ASSERT_TRUE(kept.open(QIODevice::WriteOnly));
            kept.write((m_rows.join(u'\n') + u'\n').toUtf8());
            return;
        }
        ASSERT_TRUE(kept.open(QIODevice::ReadOnly)) << file;
        const QStringList old = QString::fromUtf8(kept.readAll()).trimmed().split(u'\n');
        QStringList changes;
        for (qsizetype i = 0; i < std::max(old.size(), m_rows.size()) && changes.size() < kShown; ++i)
            if (!agrees(old.value(i), m_rows.value(i), slack))
                changes << QStringLiteral("recorded ") + old.value(i) + QStringLiteral("\n       now ") + m_rows.value(i);
        EXPECT_TRUE(changes.isEmpty()) << file << ", the first that changed:\n"
                                       << changes.join(u'\n').toStdString()
                                       << "\nIf this is intended: packaging/golden.sh renews the file; name the reason in the commit.";
    }

private:
    static bool agrees(const QString& a, const QString& b, double slack)
    {
        if (a == b)
            return true;
        static const QRegularExpression between(QStringLiteral("[ |,()]"));
        const QStringList x = a.split(between), y = b.split(between);
        return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), [slack](const QString& p, const QString& q) {
                   bool isP = false, isQ = false;
                   const double v = p.toDouble(&isP), w = q.toDouble(&isQ);
                   return p == q || (isP && isQ && std::abs(v - w) <= std::max(slack, 1e-9 * std::abs(v)));
               });
    }
    QStringList m_rows;
};

} // namespace prism::ui::test
