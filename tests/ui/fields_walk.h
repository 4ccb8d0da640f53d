// SPDX-License-Identifier: GPL-3.0-or-later
// A random walk through edits, undos, selections and reloads; after each step every field shows what the model and its JSON hold, and
// now and then a second window that opens the file shows the same and changes nothing.
#pragma once

#include "tests/ui/studies.h"
#include "ui/editor/configeditor.h"
#include "ui/editor/quantityedit.h"
#include "ui/model/studyfile.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QTemporaryDir>
#include <QTest>

#include <random>

namespace prism::ui::test {

/// Two editors on one study, as two windows would be; keys go to the first.
class FieldsWalk {
public:
    explicit FieldsWalk(unsigned seed) : m_random(seed), m_first(workspace, theme), m_second(workspace, theme)
    {
        workspace.bridge().setSamples(kMinSamples);
        workspace.study().reset(smallStudy(), 1);
        for (ConfigEditor* editor : {&m_first, &m_second})
            for (const char* group : {"model", "cluster", "parallelism", "training", "variability"})
                editor->setExpanded(QString::fromLatin1(group), true);
        m_first.show();
        EXPECT_TRUE(m_file.create(m_folder.filePath(QStringLiteral("study.prism"))).empty());
        pump();
    }

    void step()
    {
        StudyModel& study = workspace.study();
        switch (pick(12)) {
        case 0:
            study.undoStack()->undo();
            break;
        case 1:
            study.undoStack()->redo();
            break;
        case 2:
            study.setCurrent(1 + pick(2));
            break;
        case 3:
            reload();
            break;
        case 4: // another view of the study
            (void)study.setParameter(study.currentId(), "training.global_batch_size", std::to_string(16 << pick(4)));
            break;
        default:
            edit(*m_first.rows()[pick(static_cast<int>(m_first.rows().size()))]);
        }
        pump();
    }

    void expectOneValue(int at)
    {
        const Scenario& model = *workspace.study().current()->scenario;
        const Result<Scenario> file = draftFromJson(toJson(model)) /* values fit their fields, not always each other */;
        ASSERT_TRUE(file.ok()) << "step " << at;
        for (const Parameter& p : parameters())
            EXPECT_EQ(parameterText(p, *file), parameterText(p, model)) << p.id << ", step " << at;
        for (ConfigEditor* editor : {&m_first, &m_second})
            expectFields(*editor, model, "step " + std::to_string(at));
    }

    /// What another window sees that opens the file now: the same values, in fields that take none.
    void expectSameInASecondWindow(int at)
    {
        const std::string where = "second window, step " + std::to_string(at);
        const StudyModel& study = workspace.study();
        m_file.save(study.state(), study.currentId(), {});
        ASSERT_TRUE(m_file.flush()) << where;
        const Result<ReadStudy> opened = readStudy(m_file.path());
        ASSERT_TRUE(opened.ok()) << where;
        EXPECT_FALSE(opened->content.readOnlyReason.isEmpty()) << where << ": one window writes";
        EXPECT_EQ(toJson(*entryOf(opened->content.state, study.currentId())), toJson(*study.current()->scenario)) << where;
        Workspace other;
        other.bridge().setSamples(kMinSamples);
        ConfigEditor editor(other, theme);
        other.study().reset(opened->content.state, opened->content.currentId);
        other.study().setReadOnly(true);
        pump();
        expectFields(editor, *study.current()->scenario, where);
        edit(*editor.rows()[pick(static_cast<int>(editor.rows().size()))]);
        pump();
        EXPECT_TRUE(*other.study().current()->scenario == *study.current()->scenario) << where << ": nothing is edited there";
        expectFields(editor, *study.current()->scenario, where + ", after typing");
    }

    Workspace workspace;

private:
    static const Scenario* entryOf(const StudyState& state, int id)
    {
        for (const ScenarioEntry& e : state.entries)
            if (e.id == id)
                return e.scenario.get();
        return state.entries.front().scenario.get();
    }

    static void expectFields(const ConfigEditor& editor, const Scenario& model, const std::string& where)
    {
        for (ParameterRow* row : editor.rows()) {
            const Parameter& p = row->parameter();
            const auto* typed = qobject_cast<const QuantityEdit*>(row->field());
            if (typed && typed->hasProblem())
                continue; // the typed text stays and is marked
            const std::string requested = typed ? fieldText(p, model).toStdString() : plainValue(p, model);
            EXPECT_EQ(row->shownText().toStdString(), requested) << p.id << ", " << where;
        }
    }

    int pick(int n) { return static_cast<int>(m_random() % static_cast<unsigned>(n)); }
    static void pump() { QCoreApplication::processEvents(); }

    static std::string plainValue(const Parameter& p, const Scenario& scenario)
    {
        const ParameterValue value = p.get(scenario);
        if (const bool* on = std::get_if<bool>(&value))
            return *on ? "true" : "false";
        return std::get<std::string>(value);
    }

    void reload()
    {
        StudyState state = workspace.study().state();
        for (ScenarioEntry& e : state.entries)
            if (Result<Scenario> again = scenarioFromJson(toJson(*e.scenario)))
                e.scenario = std::make_shared<const Scenario>(std::move(again).value());
        workspace.study().reset(state, workspace.study().currentId());
    }

    void edit(ParameterRow& row)
    {
        if (!row.field()->isEnabled())
            return;
        if (auto* combo = qobject_cast<QComboBox*>(row.field())) {
            combo->setCurrentIndex(pick(combo->count()));
            Q_EMIT combo->activated(combo->currentIndex());
            return;
        }
        if (auto* check = qobject_cast<QCheckBox*>(row.field())) {
            check->click();
            return;
        }
        static const char* const kTexts[] = {"8",   "16", "0.05",  "1e3",  "2k",       "nonsense", "-1",
                                             "1e9", "",   "4,096", "12 %", "900 GB/s", "<b>"};
        auto* field = static_cast<QuantityEdit*>(row.field());
        field->selectAll();
        QTest::keyClicks(field, QString::fromLatin1(kTexts[pick(static_cast<int>(std::size(kTexts)))]));
        const int end = pick(4);
        if (end == 0)
            QTest::keyClick(field, Qt::Key_Escape);
        else if (end == 1)
            QTest::keyClick(field, Qt::Key_Up);
        field->submitNow();
        QTest::keyClick(field, Qt::Key_Return);
    }

    std::mt19937 m_random;
    Theme theme;
    ConfigEditor m_first, m_second;
    QTemporaryDir m_folder;
    StudyFile m_file;
};

} // namespace prism::ui::test
