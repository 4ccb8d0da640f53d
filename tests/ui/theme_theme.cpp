// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/icons.h"
#include "ui/theme/segmented.h"
#include "ui/theme/theme.h"

#include "prism_paths.h"

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QApplication>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QSignalSpy>

using namespace prism::ui;
using namespace Qt::StringLiterals;

namespace {

TEST(Theme, ReportsEachChangeOnce)
{
    Theme theme;
    QSignalSpy spy(&theme, &Theme::changed);
    theme.setMode(Theme::Mode::dark);
    EXPECT_TRUE(theme.isDark());
    theme.setMode(Theme::Mode::dark);
    theme.setPresentation(true);
    EXPECT_DOUBLE_EQ(theme.font(Type::body).pointSizeF(), 9.75 * 1.4);
    theme.setUiScale(9);
    EXPECT_DOUBLE_EQ(theme.uiScale(), 2.0);
    EXPECT_EQ(spy.count(), 3);
}

TEST(Theme, GrowsInPresentationAsFarAsTheWindowHasRoom)
{
    constexpr double kBody = 9.75; // points
    Theme theme;
    const auto factorIn = [&theme](int width, int height) {
        theme.setRoom({width, height});
        return theme.font(Type::body).pointSizeF() / kBody;
    };
    theme.setPresentation(true);
    EXPECT_DOUBLE_EQ(factorIn(1440, 900), 1.4);
    EXPECT_DOUBLE_EQ(factorIn(2560, 1440), 1.4);
    EXPECT_NEAR(factorIn(1120, 720), 1.4 * 1120 / 1440, 0.02);
    EXPECT_DOUBLE_EQ(factorIn(640, 480), 1); // never smaller than at the desk
    theme.setUiScale(1.5);
    EXPECT_NEAR(factorIn(1728, 1080), 1.5 * 1.4 * 1.2 / 1.5, 0.04); // 1.2 times 1440 x 900
    theme.setPresentation(false);
    EXPECT_DOUBLE_EQ(factorIn(1120, 720), 1.5);
}

TEST(Theme, StyleSheetLeavesNoPlaceholder)
{
    for (const Palette* palette : {&lightPalette(), &darkPalette()}) {
        const QString sheet = styleSheet(Look(*palette));
        static const QRegularExpression rest(u"@\\w+@|~\\w+~|#\\d{1,2}#|%\\w+%"_s);
        EXPECT_FALSE(rest.match(sheet).hasMatch()) << rest.match(sheet).captured().toStdString();
        static const QRegularExpression url(u"url\\((:[^)]+)\\)"_s);
        Theme theme;
        theme.applyTo(*qApp);
        for (auto it = url.globalMatch(sheet); it.hasNext();) {
            const QString file = it.next().captured(1);
            EXPECT_TRUE(QFile::exists(file)) << file.toStdString();
        }
        qApp->setStyleSheet(QString());
    }
}

TEST(Theme, NoWidgetNamesAColour)
{
    // A colour value in the sources outside the palette: "#rrggbb", QColor(r, g, b), or a named Qt colour.
    static const QRegularExpression value(
        u"\"#[0-9A-Fa-f]{3,8}\"|\\bQColor\\(\\s*\\d|\\bqRgba?\\(|Qt::(?:red|green|blue|gray|darkGray|lightGray|yellow|cyan|magenta)\\b"_s);
    QDirIterator files(QStringLiteral(PRISM_SOURCE_DIR "/ui"), {u"*.cpp"_s, u"*.h"_s}, QDir::Files, QDirIterator::Subdirectories);
    int seen = 0;
    while (files.hasNext()) {
        const QString path = files.next();
        if (path.contains(u"/ui/look/palette."_s))
            continue;
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        ++seen;
        const auto match = value.match(text);
        EXPECT_FALSE(match.hasMatch()) << path.toStdString() << ": " << match.captured().toStdString();
    }
    EXPECT_GT(seen, 20);
}

TEST(Icons, AreDrawnInTheColourOfTheirRole)
{
    for (const Palette* palette : {&lightPalette(), &darkPalette()})
        for (const Role role : {Role::accent, Role::error, Role::textSecondary})
            for (int i = 0; i <= static_cast<int>(Icon::hidden); ++i) {
                const QColor requested = (*palette)[role];
                const QImage image = icon(static_cast<Icon>(i), Look(*palette), role).pixmap(32, 32).toImage();
                int painted = 0, other = 0;
                for (int y = 0; y < image.height(); ++y)
                    for (int x = 0; x < image.width(); ++x) {
                        const QColor seen = image.pixelColor(x, y);
                        if (seen.alpha() < 200) // the soft edge of a line
                            continue;
                        ++painted;
                        other += std::abs(seen.red() - requested.red()) + std::abs(seen.green() - requested.green())
                                             + std::abs(seen.blue() - requested.blue())
                                         > 6
                                     ? 1
                                     : 0;
                    }
                EXPECT_GT(painted, 8) << "icon " << i;
                EXPECT_EQ(other, 0) << "icon " << i << " in role " << static_cast<int>(role) << (palette->dark ? ", dark" : ", light");
            }
}

TEST(SegmentedControl, ChoosesByClickAndKeepsItsChoice)
{
    Theme theme;
    SegmentedControl control(theme);
    control.setChoices({u"p50"_s, u"p95"_s, u"p99"_s});
    control.setCurrent(1);
    QSignalSpy spy(&control, &SegmentedControl::chosen);
    control.setCurrent(2);
    EXPECT_EQ(spy.count(), 0);
    control.findChildren<QAbstractButton*>().at(0)->click();
    ASSERT_EQ(spy.count(), 1);
    EXPECT_EQ(spy.at(0).at(0).toInt(), 0);
    control.setChoices({u"a"_s, u"b"_s});
    EXPECT_EQ(control.current(), 0);
    EXPECT_EQ(control.findChildren<QAbstractButton*>().at(1)->accessibleName(), u"b"_s);
}

} // namespace
