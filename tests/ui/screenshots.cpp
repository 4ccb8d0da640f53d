// SPDX-License-Identifier: GPL-3.0-or-later
// The pictures of every page in both themes at scale 1 and 2, as prism-explorer --screenshots writes them.
#include <QColor>
#include <QDir>
#include <QHash>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

namespace {

constexpr QSize kWindow(1440, 900);
constexpr int kDockWidth = 352, kHeadHeight = 200; // the page is right of and below these

/// Lightness of a picture, and the share of the page's pixels that are not of its commonest colour.
std::pair<double, double> lookOf(const QImage& picture, int scale)
{
    QHash<QRgb, int> colours;
    double light = 0;
    int all = 0;
    for (int y = kHeadHeight * scale; y < picture.height(); y += 3)
        for (int x = kDockWidth * scale; x < picture.width(); x += 3) {
            const QRgb colour = picture.pixel(x, y);
            ++colours[colour];
            light += QColor(colour).lightnessF();
            ++all;
        }
    const int commonest = *std::max_element(colours.begin(), colours.end());
    return {light / all, 1.0 - static_cast<double>(commonest) / all};
}

} // namespace

TEST(Screenshots, ShowEveryPageInBothThemesAtBothScales)
{
    const QString folder = QDir::current().filePath(u"screenshots"_s); // stays in the build folder, to be looked at
    QDir(folder).removeRecursively();
    std::vector<std::unique_ptr<QProcess>> runs;
    for (const int scale : {1, 2}) {
        runs.push_back(std::make_unique<QProcess>());
        runs.back()->start(QStringLiteral(PRISM_EXPLORER), {u"--screenshots"_s, folder, u"--scale"_s, QString::number(scale), u"--size"_s,
                                                            u"%1x%2"_s.arg(kWindow.width()).arg(kWindow.height())});
    }
    for (const auto& run : runs) {
        ASSERT_TRUE(run->waitForFinished(600'000)) << run->errorString().toStdString();
        EXPECT_EQ(run->exitCode(), 0) << run->readAllStandardError().toStdString();
    }
    for (const char* page : {"distribution", "sensitivity", "placement", "pipeline", "scale", "explore"})
        for (const bool dark : {false, true})
            for (const int scale : {1, 2}) {
                const QString name =
                    u"%1-%2%3.png"_s.arg(QString::fromLatin1(page), dark ? u"dark"_s : u"light"_s, scale == 2 ? u"@2x"_s : QString());
                SCOPED_TRACE(name.toStdString());
                const QImage picture(QDir(folder).filePath(name));
                ASSERT_FALSE(picture.isNull());
                EXPECT_EQ(picture.size(), kWindow * scale);
                const auto [light, drawn] = lookOf(picture, scale);
                EXPECT_EQ(light < 0.5, dark);
                EXPECT_GT(drawn, 0.03) << "the page is blank";
            }
}

} // namespace prism::ui::test
