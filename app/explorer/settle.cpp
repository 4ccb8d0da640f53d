// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/explorer/settle.h"

#include "ui/window/mainwindow.h"
#include "ui/window/pagehost.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QThread>

namespace prism::explorer {

namespace {

constexpr int kPatienceMs = 300'000; // for one page with its background jobs on a slow machine

} // namespace

bool settle(ui::MainWindow& window)
{
    QElapsedTimer clock;
    clock.start();
    int quiet = 0;
    while (quiet < 5) {
        QApplication::processEvents(QEventLoop::AllEvents, 20);
        const bool busy = window.workspace().bridge().isBusy() || !window.workspace().insights().isIdle()
                          || (window.workspace().context().current() && window.pages().current()->isComputing())
                          || window.file().status() == ui::FileStatus::saving;
        quiet = busy ? 0 : quiet + 1;
        if (clock.elapsed() > kPatienceMs)
            return false;
        QThread::msleep(10);
    }
    return true;
}

} // namespace prism::explorer
