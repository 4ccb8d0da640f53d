// SPDX-License-Identifier: GPL-3.0-or-later
// A crowded window, twelve scenarios with long names, walked through its pages, modes and dialogs at one size after the other.
#pragma once

#include "tests/ui/layoutcheck.h"
#include "tests/ui/longerwords.h"
#include "tests/ui/window_fixture.h"
#include "ui/plot/paper.h"
#include "ui/pages/page.h"
#include "ui/window/actions.h"
#include "ui/window/dialogs.h"

#include <QDialog>

namespace prism::ui::test {

using namespace Qt::Literals::StringLiterals;

/// A promised size of the window; at the smallest with a larger type the dock may be hidden.
struct WindowSize {
    int width = 0, height = 0;
    double scale = 1;
    bool dock = true;
};

class LayoutTest : public WindowTest {
protected:
    static constexpr int kScenarios = 12;
    inline static const QString kLongName = u"Großrechenzentrumsverbundkonfiguration mit Tensorparallelität"_s;

    ~LayoutTest() override { theme.setUiScale(1); }

    std::unique_ptr<MainWindow> crowdedWindow()
    {
        auto window = smallWindow();
        window->workspace().bridge().setSamples(kMinSamples);
        StudyModel& study = window->workspace().study();
        while (study.state().entries.size() < kScenarios)
            study.duplicate(1);
        for (const ScenarioEntry& e : StudyState(study.state()).entries)
            study.rename(e.id, u"%1 %2"_s.arg(kLongName).arg(e.id));
        Scenario own = *study.current()->scenario; // one that differs from the baseline in what is edited most
        own.variability.slow.push_back({5, -1, 1.2, 1});
        own.training.globalBatchSize = 64;
        study.setScenario(study.currentId(), own, u"Change"_s);
        settle(*window);
        return window;
    }
    void setSize(MainWindow& window, const WindowSize& size)
    {
        theme.setUiScale(size.scale);
        window.dock().setVisible(size.dock);
        window.resize(size.width, size.height);
        QTest::qWait(20);
        m_at = u"%1 x %2, scale %3"_s.arg(size.width).arg(size.height).arg(size.scale);
        EXPECT_EQ(window.size(), QSize(size.width, size.height)) << "the window does not get this small";
    }
    void lookAtPages(MainWindow& window, bool paper)
    {
        for (Page* page : window.pages().pages()) {
            window.pages().showPage(page->id());
            settlePage(window);
            QTest::qWait(20);
            keep(window, page->id());
            defects.look(window, u"%1, %2"_s.arg(page->id(), m_at));
            if (paper)
                lookAtPaper(window);
        }
    }
    void lookAtTables(MainWindow& window)
    {
        window.pages().setTableShown(true);
        lookAtPages(window, false);
        window.pages().setTableShown(false);
    }
    void lookAtPaper(MainWindow& window)
    {
        Page* page = window.pages().current();
        PaperText text = paperText(window.workspace().context(), page->title());
        text.notes = page->paperNotes() + text.notes;
        const Picture picture = onPaper(
            text, page->exportSize(), [page](QPainter& p) { page->paintExport(p); }, Look(lightPalette(), theme.look().scale()));
        TextDevice device(picture.size);
        {
            QPainter painter(&device);
            picture.paint(painter);
        }
        defects.lookAtPaper(device.texts(), picture.size, u"paper of %1, %2"_s.arg(page->id(), m_at));
    }
    void present(MainWindow& window)
    {
        window.setPresentation(true);
        m_at += u", presented"_s;
        QTest::qWait(20);
        lookAtPages(window, false);
        window.setPresentation(false);
    }
    void lookAtDialogs(MainWindow& window)
    {
        for (const char* id :
             {"scenario.differences", "scenario.archived", "scenario.applyTo", "scenario.presets", "edit.history", "help.keys", "help.page",
              "help.about", "file.new", "file.report", "tools.palette", "view.marks", "scenario.tree"}) {
            window.actions().get(QString::fromLatin1(id))->trigger();
            lookAtDialog(window, QString::fromLatin1(id));
        }
        const QByteArray config = R"({"model_type": "llama", "num_hidden_layers": 64, "hidden_size": 5120, "num_attention_heads": 40,
            "num_key_value_heads": 8, "intermediate_size": 27648, "vocab_size": 152064, "_name_or_path": "my/own-32B"})";
        const Scenario base = *window.workspace().study().current()->scenario;
        showImport(window.workspace(), theme, previewImport(u"config.json"_s, config, base), u"config.json"_s, &window);
        lookAtDialog(window, u"import"_s);
        window.actions().get(u"help.tour"_s)->trigger();
        QTest::qWait(20);
        if (QWidget* tour = window.findChild<QWidget*>(u"tour"_s)) {
            defects.look(*tour, u"tour, "_s + m_at);
            tour->close();
        }
    }

    LayoutDefects defects{kLongName};

private:
    /// Where PRISM_LAYOUT_PICTURES names a folder, what is looked at is kept there in both themes, to be looked at by people too.
    void keep(QWidget& part, const QString& name)
    {
        const QString to = qEnvironmentVariable("PRISM_LAYOUT_PICTURES");
        if (to.isEmpty())
            return;
        for (const bool dark : {true, false}) {
            theme.setMode(dark ? Theme::Mode::dark : Theme::Mode::light);
            QTest::qWait(20);
            EXPECT_TRUE(part.grab().save(u"%1/%2, %3%4.png"_s.arg(to, m_at, name, dark ? u", dark"_s : QString())));
        }
    }
    void lookAtDialog(MainWindow& window, const QString& name)
    {
        QTest::qWait(20);
        int seen = 0;
        for (QDialog* dialog : window.findChildren<QDialog*>()) {
            if (!dialog->isVisible())
                continue;
            ++seen;
            dialog->resize(dialog->size().boundedTo(window.size())); // what the screen would do
            QTest::qWait(20);
            keep(*dialog, u"dialog "_s + name);
            defects.look(*dialog, u"%1, %2"_s.arg(name, m_at));
            if (dialog->width() > window.width() || dialog->height() > window.height())
                defects.add(u"the dialog of %1 is larger than the screen"_s.arg(name));
            dialog->close();
        }
        EXPECT_GT(seen, 0) << name.toStdString();
        QTest::qWait(5);
    }

    QString m_at;
};

} // namespace prism::ui::test
