// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/explorer/headless.h"

#include "app/explorer/opening.h"
#include "app/explorer/settle.h"
#include "app/explorer/terminal.h"
#include "ui/look/wholefile.h"
#include "ui/window/mainwindow.h"
#include "ui/window/pagehost.h"

#include <QBuffer>
#include <QDir>
#include <QPixmap>

using namespace Qt::Literals::StringLiterals;

namespace prism::explorer {

namespace {

QByteArray toPng(const QPixmap& picture)
{
    QBuffer buffer;
    (void)picture.save(&buffer, "PNG");
    return buffer.data();
}

} // namespace

int runBatch(ui::Theme& theme, const BatchOptions& options)
{
    for (const QString& folder : {options.screenshots, options.exports})
        if (!folder.isEmpty() && !QDir().mkpath(folder)) {
            complain(u"The folder %1 cannot be made."_s.arg(folder));
            return 1;
        }
    ui::MainWindow window(theme);
    window.resize(windowSize(options.size));
    if (const QString problem = openForBatch(window, options.study, StudyAccess::readOnly); !problem.isEmpty()) {
        complain(problem);
        return 1;
    }
    theme.setUiScale(options.uiScale);
    window.show();
    int code = 0;
    for (ui::Page* page : window.pages().pages()) {
        window.pages().showPage(page->id());
        bool settled = settle(window);
        page->startAll();
        settled = settle(window) && settled;
        if (!settled) {
            complain(u"The page %1 did not finish."_s.arg(page->title()));
            code = 3;
        }
        if (!options.exports.isEmpty()) {
            const QString path = QDir(options.exports).filePath(page->id() + u'.' + options.format);
            if (const QString error = window.pages().exportTo(path, options.texts); !error.isEmpty()) {
                complain(error);
                return 1;
            }
        }
        if (options.screenshots.isEmpty())
            continue;
        for (const auto mode : {ui::Theme::Mode::light, ui::Theme::Mode::dark}) {
            theme.setMode(mode);
            (void)settle(window);
            const QPixmap picture = window.grab();
            const int scale = qRound(picture.devicePixelRatio());
            const QString path = QDir(options.screenshots)
                                     .filePath(u"%1-%2%3.png"_s.arg(page->id(), mode == ui::Theme::Mode::light ? u"light"_s : u"dark"_s,
                                                                    scale > 1 ? u"@%1x"_s.arg(scale) : QString()));
            if (const QString error = ui::writeWholeFile(path, toPng(picture)); !error.isEmpty()) {
                complain(error);
                return 1;
            }
            printLine(path);
        }
        theme.setMode(ui::Theme::Mode::light);
    }
    return code;
}

} // namespace prism::explorer
