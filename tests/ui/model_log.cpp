// SPDX-License-Identifier: GPL-3.0-or-later
// The application's log: in its data folder, and its end in the text of a bug report.
#include "core/base/logging.h"
#include "ui/model/applicationlog.h"

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

TEST(ApplicationLog, KeepsWhatIsReportedAndEndsInTheDiagnosticInformation)
{
    QStandardPaths::setTestModeEnabled(true);
    QFile::remove(applicationLogPath());
    logQuietly();
    ASSERT_TRUE(startApplicationLog().ok());
    for (int line = 0; line < 200; ++line)
        spdlog::debug("line {} of two hundred that say something", line);
    logQuietly(); // closes the file
    EXPECT_GT(QFileInfo(applicationLogPath()).size(), 200 * 40);
    const QString printed = diagnosticInformation();
    EXPECT_TRUE(printed.startsWith(u"PRISM Explorer "_s)) << printed.toStdString();
    EXPECT_TRUE(printed.contains(QString::fromLatin1(qVersion())));
    EXPECT_TRUE(printed.contains(u"line 199 of"_s));
    EXPECT_FALSE(printed.contains(u"line 0 of"_s)) << "the end alone";
    EXPECT_LT(printed.size(), 6'000);
}

TEST(ApplicationLog, ALogThatIsNotThereIsNoFault)
{
    QStandardPaths::setTestModeEnabled(true);
    QFile::remove(applicationLogPath());
    EXPECT_TRUE(diagnosticInformation().contains(applicationLogPath()));
}

} // namespace prism::ui::test
