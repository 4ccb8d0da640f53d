// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the scenario table by known answers: their order, the scale that they share, the unit of a column, the text of a change.
#include "tests/ui/studies.h"

#include "ui/workspace/scenariotablemodel.h"

#include <QMimeData>
#include <QSet>
#include <QTest>

#include <functional>
#include <memory>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

namespace {

using RowColumn = ScenarioTableModel;

Scenario rowScenario(const char* name, std::initializer_list<std::pair<const char*, const char*>> values)
{
    Scenario s = smallScenario(name);
    for (const auto& [id, value] : values)
        s = *setParameter(s, id, value);
    return s;
}

/// A study in a workspace whose results are there.
struct RowsOfStudy {
    explicit RowsOfStudy(std::vector<Scenario> scenarios, int baseline = 1, int current = 1)
    {
        workspace.bridge().setSamples(100);
        StudyState state;
        int id = 0;
        for (Scenario& s : scenarios) {
            ++id;
            state.entries.push_back({id, std::make_shared<const Scenario>(std::move(s)), id + 2, true, false});
        }
        state.baselineId = baseline;
        workspace.study().reset(state, current);
        settle();
    }
    void settle()
    {
        EXPECT_TRUE(QTest::qWaitFor([this] { return !workspace.bridge().isBusy(); }, 30'000));
        QTest::qWait(5);
    }
    [[nodiscard]] QList<int> order() const
    {
        QList<int> ids;
        for (int row = 0; row < table.rowCount(); ++row)
            ids << table.idAt(row);
        return ids;
    }
    [[nodiscard]] QList<int> sorted(int column, Qt::SortOrder order)
    {
        table.sort(column, order);
        return this->order();
    }
    [[nodiscard]] const DistributionSummary& across(int id) { return workspace.bridge().result(id).shown->across; }
    [[nodiscard]] QVariant cell(int id, int column, int role = Qt::DisplayRole) { return table.index(table.rowOf(id), column).data(role); }
    Workspace workspace;
    ChangesCache cache;
    ScenarioTableModel table{workspace, cache};
};

TEST(RowAnswers, OrderByAColumnInBothDirections)
{
    Scenario uneven = rowScenario("b2", {}), steady = uneven, slow = uneven, invalid = uneven;
    uneven.variability.spatial.cv = 0.001;
    uneven.variability.interCollective.cv = 0.9;
    steady.name = "c1";
    steady.variability.spatial.cv = steady.variability.gemm.cv = steady.variability.interCollective.cv = 0;
    steady.measured.computeLevel = 1.1;
    slow.name = "a3";
    slow = *setParameter(slow, "model.num_layers", "64");
    invalid.name = "d0";
    invalid.parallelism.tensorModelParallelSize = 3; // it cannot be computed
    uneven.note = "zeta";
    steady.note = "eta";
    slow.note = "theta";
    invalid.note = "beta";
    RowsOfStudy rows({invalid, slow, uneven, steady}, 2, 3);
    EXPECT_EQ(rows.order(), (QList<int>{1, 2, 3, 4})) << "by no column: as in the study";
    EXPECT_LT(rows.across(3).p50, rows.across(4).p50);
    EXPECT_GT(rows.across(3).p95, rows.across(4).p95);
    EXPECT_EQ(rows.sorted(RowColumn::rangeColumn, Qt::AscendingOrder), (QList<int>{3, 4, 2, 1})) << "without a result: last";
    EXPECT_EQ(rows.sorted(RowColumn::rangeColumn, Qt::DescendingOrder), (QList<int>{2, 4, 3, 1}));
    for (const int column : {RowColumn::p95Column, RowColumn::changeColumn}) {
        EXPECT_EQ(rows.sorted(column, Qt::AscendingOrder), (QList<int>{4, 3, 2, 1})) << column;
        EXPECT_EQ(rows.sorted(column, Qt::DescendingOrder), (QList<int>{2, 3, 4, 1})) << column;
    }
    EXPECT_EQ(rows.sorted(RowColumn::nameColumn, Qt::AscendingOrder), (QList<int>{2, 3, 4, 1})); // a3, b2, c1, d0
    EXPECT_EQ(rows.sorted(RowColumn::nameColumn, Qt::DescendingOrder), (QList<int>{1, 4, 3, 2}));
    EXPECT_EQ(rows.sorted(RowColumn::noteColumn, Qt::AscendingOrder), (QList<int>{1, 4, 2, 3})); // beta, eta, theta, zeta
    rows.workspace.study().setVisible(2, false);
    rows.settle();
    EXPECT_EQ(rows.sorted(RowColumn::sampleColumn, Qt::AscendingOrder), (QList<int>{1, 3, 4, 2})) << "visible ones first";
    EXPECT_EQ(rows.sorted(RowColumn::sampleColumn, Qt::DescendingOrder), (QList<int>{2, 1, 3, 4}));
    EXPECT_FALSE(rows.table.flags(rows.table.index(0, 0)) & Qt::ItemIsDragEnabled) << "rows in an order cannot be moved";
    EXPECT_EQ(rows.sorted(-1, Qt::AscendingOrder), (QList<int>{1, 2, 3, 4}));
    EXPECT_TRUE(rows.table.flags(rows.table.index(0, 0)) & Qt::ItemIsDragEnabled);
}

Scenario overfullScenario(const char* name, std::initializer_list<std::pair<const char*, const char*>> values)
{
    Scenario s = rowScenario(name, values);
    s.cluster.gpu.memoryGib = 5;
    return s;
}

TEST(RowAnswers, ShareOneScaleAndOneUnitOfThoseThatFit)
{
    // p95 of about 0.75, 0.26, 1.4 and 0.4 s; the third does not fit.
    RowsOfStudy rows({rowScenario("a", {{"model.num_layers", "64"}}), rowScenario("b", {}),
                      overfullScenario("c", {{"model.num_layers", "64"}, {"training.global_batch_size", "80"}}),
                      rowScenario("d", {{"model.num_layers", "32"}})},
                     2, 1);
    const DistributionSummary a = rows.across(1), b = rows.across(2);
    EXPECT_GT(rows.across(3).p95, 1);
    ASSERT_LT(a.p95, 0.99);
    const auto range = rows.cell(1, RowColumn::rangeColumn, RowColumn::kRangeRole).value<PercentileRange>();
    EXPECT_EQ(range.low, b.p50);
    EXPECT_EQ(range.high, a.p99);
    EXPECT_EQ(range.p50, a.p50);
    EXPECT_EQ(range.p95, a.p95);
    EXPECT_EQ(range.p99, a.p99);
    EXPECT_EQ(range.colour, 3);
    EXPECT_FALSE(range.stale);
    EXPECT_EQ(rows.cell(2, RowColumn::rangeColumn, RowColumn::kRangeRole).value<PercentileRange>().high, a.p99);
    EXPECT_FALSE(rows.cell(1, RowColumn::rangeColumn, RowColumn::kRangeRole + 1).isValid());
    EXPECT_FALSE(rows.cell(3, RowColumn::rangeColumn, RowColumn::kRangeRole).isValid()) << "a word takes its place";
    EXPECT_EQ(rows.cell(3, RowColumn::rangeColumn).toString(), u"Does not fit"_s);
    EXPECT_TRUE(rows.cell(1, RowColumn::p95Column).toString().endsWith(u" ms"_s))
        << rows.cell(1, RowColumn::p95Column).toString().toStdString();
    EXPECT_TRUE(rows.cell(3, RowColumn::p95Column).toString().endsWith(u" s"_s)) << "longer than the column's longest";
    EXPECT_EQ(rows.table.rowCount(rows.table.index(0, 0)), 0);
    EXPECT_EQ(rows.table.columnCount(rows.table.index(0, 0)), 0);
    EXPECT_EQ(rows.table.columnCount(), 6);
    Scenario steady = rowScenario("steady", {});
    steady.variability.spatial.cv = steady.variability.gemm.cv = steady.variability.interCollective.cv = 0;
    RowsOfStudy alone({steady}, 1, 1);
    EXPECT_EQ(alone.across(1).p50, alone.across(1).p99);
    EXPECT_FALSE(alone.cell(1, RowColumn::rangeColumn, RowColumn::kRangeRole).isValid()) << "a scale needs two ends";
}

TextRun changeOf(RowsOfStudy& rows, int id)
{
    return rows.cell(id, RowColumn::changeColumn, kRunsRole).value<TextRuns>().front();
}

TEST(RowAnswers, AChangeIsGoodBadOrOfWhatCannotRun)
{
    Scenario faster = rowScenario("faster", {}), never = overfullScenario("never", {});
    faster.measured.computeLevel = never.measured.computeLevel = 0.8;
    RowsOfStudy rows(
        {rowScenario("slower", {{"model.num_layers", "128"}}), rowScenario("base", {{"model.num_layers", "64"}}), faster, never}, 2, 3);
    const double a = rows.across(1).p95, b = rows.across(2).p95;
    ASSERT_LT(a - b, 1);
    EXPECT_EQ(changeOf(rows, 1).role, Role::bad) << "by less than a second";
    EXPECT_EQ(changeOf(rows, 1).text.left(1), u"+"_s);
    EXPECT_NEAR(changeOf(rows, 1).text.section(u' ', 0, 0).toDouble(), 100 * (a / b - 1), 0.06);
    EXPECT_EQ(changeOf(rows, 2).text, u"baseline"_s);
    EXPECT_EQ(changeOf(rows, 3).role, Role::good);
    EXPECT_EQ(changeOf(rows, 4).role, Role::textSecondary) << "it is faster, and cannot run";
    EXPECT_TRUE(rows.cell(1, RowColumn::p95Column).toString().endsWith(u" s"_s)) << "one unit in the column";
    EXPECT_TRUE(rows.cell(3, RowColumn::p95Column).toString().startsWith(u"0."_s))
        << rows.cell(3, RowColumn::p95Column).toString().toStdString();
    EXPECT_TRUE(rows.cell(3, 0, kBrushedRole).toBool());
    EXPECT_FALSE(rows.cell(1, 0, kBrushedRole).toBool());
    const auto sample = rows.cell(2, RowColumn::sampleColumn, kSampleRole).value<SeriesSample>();
    EXPECT_EQ(sample.colour, 4);
    EXPECT_TRUE(sample.baseline && !sample.hidden);
    EXPECT_FALSE(rows.cell(3, RowColumn::sampleColumn, kSampleRole).value<SeriesSample>().baseline);
}

TEST(RowAnswers, OnlyRowsThatReadDifferentlyAreReported)
{
    RowsOfStudy rows({rowScenario("a", {}), rowScenario("b", {}), rowScenario("c", {})}, 3, 1);
    StudyModel& study = rows.workspace.study();
    QSet<int> reported;
    QObject::connect(&rows.table, &QAbstractItemModel::dataChanged, [&](const QModelIndex& first, const QModelIndex& last) {
        for (int row = first.row(); row <= last.row(); ++row)
            reported << rows.table.idAt(row);
    });
    const auto after = [&](const std::function<void()>& edit) {
        reported.clear();
        edit();
        rows.settle();
        return reported;
    };
    EXPECT_EQ(after([&] { study.setCurrent(2); }), (QSet<int>{1, 2}));
    EXPECT_EQ(after([&] { study.setVisible(3, false); }), QSet<int>{3});
    EXPECT_EQ(after([&] { rows.workspace.setFieldProblems(2, {u"a"_s, u"b"_s, u"c"_s}); }), QSet<int>{2});
    EXPECT_EQ(rows.cell(2, RowColumn::rangeColumn).toString(), u"3 to fix"_s);
    EXPECT_EQ(rows.cell(1, RowColumn::rangeColumn).toString(), QString());
    EXPECT_EQ(after([&] { rows.workspace.setFieldProblems(2, {u"a"_s}); }), QSet<int>{2});
    EXPECT_EQ(rows.cell(2, RowColumn::rangeColumn).toString(), u"1 to fix"_s);
    EXPECT_EQ(after([&] { study.setLimit(0.3); }), (QSet<int>{1, 2, 3}));
    EXPECT_EQ(after([&] { study.setBaseline(1); }), (QSet<int>{1, 2, 3}));
    StudyState state = study.state();
    state.entries[1].colour = 7;
    EXPECT_EQ(after([&] { study.reset(state, 2); }), QSet<int>{2});
    EXPECT_EQ(after([&] { study.reset(state, 2); }), QSet<int>{});
    state.entries[2].parentId = 2;
    EXPECT_EQ(after([&] { study.reset(state, 2); }), QSet<int>{3});
    EXPECT_EQ(after([&] { study.setNote(2, u"n"_s); }), (QSet<int>{2, 3})) << "the row and the one that was made from it";
    const std::unique_ptr<QMimeData> second(rows.table.mimeData({rows.table.index(1, 0)}));
    rows.table.dropMimeData(second.get(), Qt::MoveAction, 1, 0, {}); // onto its place
    rows.settle();
    EXPECT_EQ(rows.order(), (QList<int>{1, 2, 3}));
}

TEST(RowAnswers, AScenarioMayHaveTheNumberZero)
{
    Workspace workspace;
    workspace.bridge().setSamples(100);
    ChangesCache cache;
    ScenarioTableModel table(workspace, cache);
    StudyState state = smallStudy();
    state.entries[0].id = 0;
    state.baselineId = 0;
    workspace.study().reset(state, 2);
    EXPECT_TRUE(QTest::qWaitFor([&] { return table.rowCount() == 2; }, 30'000));
    EXPECT_TRUE(table.setData(table.index(0, RowColumn::nameColumn), u"zero"_s));
    EXPECT_EQ(workspace.study().entry(0)->scenario->name, "zero");
    EXPECT_TRUE(table.setData(table.index(1, RowColumn::nameColumn), u"two"_s));
    EXPECT_EQ(workspace.study().entry(2)->scenario->name, "two");
    EXPECT_EQ(table.rowOf(0), 0);
    EXPECT_EQ(table.idAt(0), 0);
}

TEST(RowAnswers, PagesSeeTheStudyAsItIs)
{
    RowsOfStudy rows({rowScenario("a", {}), rowScenario("b", {}), rowScenario("c", {}), rowScenario("d", {})}, 3, 2);
    StudyModel& study = rows.workspace.study();
    study.setArchived(1, true);
    study.setLimits(0.25, 0.5);
    study.setMarks({{0.75, "mark"}});
    rows.workspace.bridge().setPrecision(0.125);
    rows.settle();
    const PageContext& context = rows.workspace.context();
    EXPECT_EQ(context.currentId, 2);
    EXPECT_EQ(context.baselineId, 3);
    EXPECT_EQ(context.limitSeconds, 0.5);
    EXPECT_EQ(context.lowerLimitSeconds, 0.25);
    EXPECT_EQ(context.marks.size(), 1U);
    EXPECT_EQ(context.precision, 0.125);
    ASSERT_EQ(context.scenarios.size(), 3);
    for (int i = 0; i < 3; ++i) {
        const ShownScenario& s = context.scenarios[i];
        EXPECT_EQ(s.id, i + 2) << "without the archived one";
        EXPECT_EQ(s.colour, i + 4);
        EXPECT_EQ(s.isCurrent, s.id == 2);
        EXPECT_EQ(s.isBaseline, s.id == 3);
        EXPECT_EQ(s.name.toStdString(), study.entry(s.id)->scenario->name);
        EXPECT_EQ(s.hash, study.entry(s.id)->scenario->hash());
        EXPECT_TRUE(s.snapshot && !s.stale && !s.partial);
    }
}

} // namespace
} // namespace prism::ui::test
