// SPDX-License-Identifier: GPL-3.0-or-later
// A window on a small study, and patience for its background work.
#pragma once

#include "tests/ui/studies.h"
#include "ui/editor/configeditor.h"
#include "ui/editor/quantityedit.h"
#include "ui/theme/theme.h"
#include "ui/window/mainwindow.h"
#include "ui/window/pagehost.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include <gtest/gtest.h>

namespace prism::ui::test {

class WindowTest : public ::testing::Test {
protected:
    WindowTest()
    {
        QSettings().clear();
        const QDir data = QFileInfo(untitledStudyPath()).dir();
        for (const QString& name : data.entryList({QStringLiteral("untitled*")}))
            QFile::remove(data.filePath(name));
        theme.applyTo(*qApp);
    }
    std::unique_ptr<MainWindow> makeWindow()
    {
        auto window = std::make_unique<MainWindow>(theme);
        window->workspace().bridge().setSamples(1000);
        window->resize(1440, 900);
        return window;
    }
    /// A window whose study is the small one, in a separate file.
    std::unique_ptr<MainWindow> smallWindow()
    {
        auto window = makeWindow();
        EXPECT_TRUE(window->file().create(folder.filePath(QStringLiteral("study.prism"))).empty());
        QSettings().setValue(QStringLiteral("session/study"), window->file().path());
        window->workspace().study().reset(smallStudy(), 1);
        window->show();
        settle(*window);
        return window;
    }
    static bool settle(MainWindow& window, int milliseconds = 120'000)
    {
        QElapsedTimer clock;
        clock.start();
        for (int quiet = 0; quiet < 3;) {
            QApplication::processEvents(QEventLoop::AllEvents, 10);
            QTest::qWait(5);
            quiet = window.workspace().bridge().isBusy() || window.editor().isPending() ? 0 : quiet + 1;
            if (clock.elapsed() > milliseconds) {
                ADD_FAILURE() << "the window did not become idle";
                return false;
            }
        }
        return true;
    }
    /// Also until the page that is shown has its answers.
    static void settlePage(MainWindow& window)
    {
        do
            settle(window);
        while (!window.workspace().insights().isIdle() || window.pages().current()->isComputing());
        settle(window); // what the last answer changed has its place
    }
    static SnapshotPtr shown(MainWindow& window, int id)
    {
        const ShownScenario* s = window.workspace().context().find(id);
        return s ? s->snapshot : nullptr;
    }
    /// Types into a field of the configuration editor as a user does.
    static void type(MainWindow& window, const char* parameter, const char* text)
    {
        ParameterRow* row = window.editor().row(QString::fromLatin1(parameter));
        ASSERT_NE(row, nullptr) << parameter;
        row->field()->setFocus();
        static_cast<QLineEdit*>(row->field())->selectAll();
        QTest::keyClicks(row->field(), QString::fromLatin1(text));
        row->submitTyped(); // a user pauses
    }

    QTemporaryDir folder;
    Theme theme;
};

} // namespace prism::ui::test
