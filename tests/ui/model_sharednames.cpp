// SPDX-License-Identifier: GPL-3.0-or-later
// Names that are shortened among others keep the words in which they differ.
#include "ui/look/textruns.h"

#include <gtest/gtest.h>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

TEST(SharedNames, GiveWayBeforeWhatDiffers)
{
    const QFontMetricsF metrics{QFont()};
    const QStringList names{u"Layout of the comparison number 1 before the tender"_s,
                            u"Layout of the comparison number 12 before the tender"_s, u"Another one"_s};
    const auto shown = [&](const QString& name, const QString& room) {
        return elidedAmong(name, names, metrics, metrics.horizontalAdvance(room) + 0.5);
    };
    EXPECT_EQ(shown(names[0], names[0]), names[0]) << "it fits";
    EXPECT_EQ(shown(names[0], u"…1…"_s), u"…1…"_s);
    EXPECT_EQ(shown(names[1], u"Layout…12…"_s), u"Layout…12…"_s) << "as much of the start as there is room for";
    EXPECT_EQ(shown(names[1], u"Layout of the comparison number 12…"_s), u"Layout of the comparison number 12…"_s);
    const QString alone = shown(names[2], u"Ano…ne"_s);
    EXPECT_TRUE(alone.startsWith(u"A"_s) && alone.endsWith(u"e"_s) && alone.contains(u'…')) << alone.toStdString();
    EXPECT_LE(metrics.horizontalAdvance(shown(names[0], u"m"_s)), metrics.horizontalAdvance(u"m"_s) + 0.5) << "no room for the difference";
    EXPECT_EQ(elidedAmong(names[0], {names[0]}, metrics, 1e6), names[0]) << "a name is not compared with itself";
}

} // namespace prism::ui::test
