// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the tests of the desktop application offscreen (those of its models without Qt Widgets), away from the user's settings; a Qt warning
// fails the test that caused it.
#include "core/study/study.h"

#include <gtest/gtest.h>

#ifdef PRISM_WITHOUT_WIDGETS
#include <QGuiApplication>
#else
#include <QApplication>
#endif
#include <QMutex>
#include <QStandardPaths>
#include <QStringList>
#include <QTemporaryDir>

namespace {

#ifdef PRISM_WITHOUT_WIDGETS
using Application = QGuiApplication;
#else
using Application = QApplication;
#endif

QMutex g_mutex;
QStringList g_warnings;

void collect(QtMsgType type, const QMessageLogContext&, const QString& message)
{
    // The offscreen platform says this once for each size hint that it cannot forward.
    if (type == QtDebugMsg || type == QtInfoMsg || message.contains(QLatin1String("This plugin does not support")))
        return;
    const QMutexLocker lock(&g_mutex);
    g_warnings << message;
}

class WarningsFail final : public testing::EmptyTestEventListener {
    void OnTestEnd(const testing::TestInfo&) override
    {
        const QMutexLocker lock(&g_mutex);
        for (const QString& warning : g_warnings)
            ADD_FAILURE() << "Qt warning: " << warning.toStdString();
        g_warnings.clear();
    }
};

} // namespace

int main(int argc, char** argv)
{
    if (const std::optional<int> code = prism::salvageHelper(argc, argv))
        return *code;
    testing::InitGoogleTest(&argc, argv);
    const QTemporaryDir state; // backups
    qputenv("XDG_STATE_HOME", state.path().toLocal8Bit());
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QStandardPaths::setTestModeEnabled(true);
    Application application(argc, argv);
    Application::setApplicationName(QStringLiteral("prism-explorer-tests"));
    qInstallMessageHandler(collect);
    testing::UnitTest::GetInstance()->listeners().Append(new WarningsFail);
    return RUN_ALL_TESTS();
}
