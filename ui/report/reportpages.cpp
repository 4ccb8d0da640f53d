// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/report/reportpages.h"

#include "ui/look/format.h"
#include "ui/report/sheet.h"

#include <QObject>

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

// A4 at 96 dpi, and what its margins leave.
constexpr double kPaperWidth = 793.7, kPaperHeight = 1122.5, kSide = 72, kHeadTop = 62, kBodyTop = 112, kFootTop = 1066;
constexpr double kCurvesHigh = 292, kCurvesLow = 200, kMaxCurves = 350; // height of the curves on the first sheet
// 16:9 with type enlarged so that the last row of a room reads it.
constexpr double kSlideWidth = 1280, kSlideHeight = 720, kSlideScale = 1.55, kSlideSide = 64, kSlideHead = 84, kSlideNote = 30;

const ReportChart* chartOf(const std::vector<ReportChart>& all, const QString& id)
{
    const auto at = std::find_if(all.begin(), all.end(), [&](const ReportChart& f) { return f.id == id; });
    return at == all.end() ? nullptr : &*at;
}

/// Head and foot of every sheet.
struct Frame {
    QString title, foot, number;
};

void paintFrame(Canvas& canvas, const Frame& frame)
{
    const double left = kSide, right = kPaperWidth - kSide;
    canvas.text({left, kHeadTop}, u"PRISM Explorer"_s, Type::smallStrong, Role::textSecondary);
    canvas.text({right, kHeadTop}, canvas.elided(frame.title, Type::small, right - left - 160), Type::small, Role::textSecondary,
                Qt::AlignRight | Qt::AlignBaseline);
    canvas.horizontal(left, right, kHeadTop + 14, canvas.look.pen(Role::text, metric::limitLine));
    canvas.horizontal(left, right, kFootTop, canvas.look.pen(Role::separator));
    canvas.text({left, kFootTop + 20}, canvas.elided(frame.foot, Type::tick, right - left - 60), Type::tick, Role::textTertiary);
    canvas.text({right, kFootTop + 20}, frame.number, Type::tick, Role::textTertiary, Qt::AlignRight | Qt::AlignBaseline);
}

using PaintSheet = std::function<void(Sheet&)>;

/// Layout of the first sheet.
struct AnswerSheet {
    double curves = 0; ///< height of the curves
    bool withAssumptions = false, withScenarios = true;
};

/// The first sheet: question, answer, curves, misses, causes; scenarios and assumptions where there is room for them.
void paintAnswer(Sheet& sheet, const Findings& f, const AnswerSheet& how)
{
    const std::vector<ReportChart> charts = reportCharts(f);
    ReportChart steps = *chartOf(charts, u"steps"_s);
    steps.height = how.curves;
    sheet.label(QObject::tr("Question"));
    sheet.lead(f.question);
    sheet.space(14);
    sheet.label(QObject::tr("Answer"));
    sheet.headline(f.answer.sentence);
    sheet.space(6);
    for (qsizetype i = 0; i < std::min<qsizetype>(2, f.answer.certainty.size()); ++i)
        sheet.paragraph(f.answer.certainty[i], Type::small, Role::textSecondary);
    sheet.space(12);
    sheet.rule();
    sheet.space(12);
    sheet.chart(steps, &f);
    sheet.space(8);
    sheet.rule();
    sheet.space(12);
    sheet.charts(*chartOf(charts, u"misses"_s), chartOf(charts, u"causes"_s));
    if (how.withScenarios) {
        sheet.space(8);
        sheet.rule();
        sheet.space(2);
        sheet.table(scenarioTable(f));
    }
    if (how.withAssumptions) {
        sheet.space(14);
        sheet.heading(QObject::tr("What we assumed"));
        sheet.bullets(assumptionSentences(f));
    }
}

void paintJob(Sheet& sheet, const Findings& f)
{
    const std::vector<ReportChart> charts = reportCharts(f);
    sheet.label(QObject::tr("The whole job, %1").arg(f.best().name));
    sheet.paragraph(jobSentence(f), Type::value);
    sheet.space(14);
    sheet.rule();
    sheet.space(12);
    sheet.chart(*chartOf(charts, u"ends"_s));
    sheet.space(10);
    sheet.rule();
    sheet.space(12);
    sheet.chart(*chartOf(charts, u"losses"_s));
    sheet.space(10);
    sheet.rule();
    sheet.space(12);
    sheet.table(jobTable(f));
}

/// Contents without room on the first and the last sheet.
void paintScenarios(Sheet& sheet, const Findings& f)
{
    sheet.heading(QObject::tr("The scenarios"));
    sheet.table(scenarioTable(f));
    sheet.space(14);
    sheet.heading(QObject::tr("What we assumed"));
    sheet.bullets(assumptionSentences(f));
}

void paintTrust(Sheet& sheet, const Findings& f, bool withAssumptions, bool withMetadata)
{
    if (withAssumptions) {
        sheet.heading(QObject::tr("What we assumed"));
        sheet.bullets(assumptionSentences(f));
        sheet.space(14);
    }
    if (const QStringList places = placeSentences(f); !places.isEmpty()) {
        sheet.heading(QObject::tr("Where a slow node hurts"));
        sheet.bullets(places);
        sheet.space(14);
    }
    sheet.heading(QObject::tr("How far the model has been right"));
    sheet.bullets(f.answer.certainty);
    sheet.space(14);
    sheet.heading(QObject::tr("What it omits"));
    sheet.bullets(limitSentences(f));
    sheet.space(16);
    const ReportTable metadata = withMetadata ? metadataTable(f) : ReportTable{};
    if (!f.assumptions.empty()) {
        ReportTable sources = sourceTable(f);
        const auto all = sources.rows.size();
        while (sources.rows.size() > 1 && sheet.heightOf(sources) + 48 + sheet.heightOf(metadata) > sheet.left())
            sources.rows.removeLast();
        sheet.table(sources);
        if (sources.rows.size() < all)
            sheet.paragraph(QObject::tr("and %1 more, in the group Job of the configuration").arg(all - sources.rows.size()), Type::tick,
                            Role::textTertiary);
        sheet.space(14);
    }
    if (withMetadata)
        sheet.table(metadata);
}

/// Height that a part takes, measured by painting it off screen.
double heightOf(const PaintSheet& paint, const QRectF& area)
{
    QImage nowhere(1, 1, QImage::Format_ARGB32_Premultiplied);
    nowhere.setDotsPerMeterX(3780);
    nowhere.setDotsPerMeterY(3780);
    QPainter painter(&nowhere);
    const Look look(lightPalette(), 1);
    Canvas canvas(painter, look);
    Sheet sheet(canvas, area);
    paint(sheet);
    return sheet.y() - area.top();
}

std::vector<ReportPage> paperPages(const Findings& f)
{
    const QRectF area(kSide, kBodyTop, kPaperWidth - 2 * kSide, kFootTop - 12 - kBodyTop);
    // The curves give way to what is beneath them; assumptions come first where there is room.
    AnswerSheet how{kCurvesHigh, true};
    const auto beyond = [&] { return heightOf([&](Sheet& s) { paintAnswer(s, f, how); }, area) - area.height(); };
    if (const double over = beyond(); over > kCurvesHigh - kCurvesLow)
        how.withAssumptions = false;
    how.withScenarios = beyond() <= kCurvesHigh - kCurvesLow; // long names need a sheet for their table
    how.curves = std::clamp(kCurvesHigh - beyond(), kCurvesLow, kMaxCurves);
    const bool rest = how.withScenarios && !how.withAssumptions; // assumptions that the last sheet has
    const bool metadata = heightOf([&](Sheet& s) { paintTrust(s, f, rest, true); }, area) <= area.height();
    std::vector<PaintSheet> sheets{[&f, how](Sheet& s) { paintAnswer(s, f, how); }};
    if (f.best().job)
        sheets.emplace_back([&f](Sheet& s) { paintJob(s, f); });
    if (!how.withScenarios)
        sheets.emplace_back([&f](Sheet& s) { paintScenarios(s, f); });
    sheets.emplace_back([&f, rest, metadata](Sheet& s) { paintTrust(s, f, rest, metadata); });
    if (!metadata)
        sheets.emplace_back([&f](Sheet& s) { s.table(metadataTable(f)); });
    std::vector<ReportPage> pages;
    for (std::size_t i = 0; i < sheets.size(); ++i) {
        const Frame frame{f.title, metadataLine(f), QObject::tr("%1 of %2").arg(i + 1).arg(sheets.size())};
        pages.push_back({{kPaperWidth, kPaperHeight}, [frame, area, paint = sheets[i]](QPainter& painter) {
                             const Look look(lightPalette(), 1);
                             Canvas canvas(painter, look);
                             paintFrame(canvas, frame);
                             Sheet sheet(canvas, area);
                             paint(sheet);
                         }});
    }
    return pages;
}

/// One slide: a sentence and what shows it.
struct Slide {
    QString sentence;
    PaintSheet paint;
};

std::vector<Slide> slidesOf(const Findings& f)
{
    std::vector<Slide> slides;
    for (const ReportChart& chart : reportCharts(f))
        slides.push_back({chart.sentence, [chart, &f](Sheet& s) {
                              ReportChart grown = chart;
                              grown.title = chart.id == u"steps"_s ? f.question : chart.title;
                              if (!chart.half)
                                  grown.height =
                                      (s.left() - (chart.footnote.isEmpty() ? kSlideHead : kSlideHead + kSlideNote)) / kSlideScale;
                              s.chart(grown, chart.curves ? &f : nullptr);
                          }});
    slides.insert(slides.begin() + 1, Slide{scenarioSentence(f), [&f](Sheet& s) { s.table(scenarioTable(f)); }});
    if (!jobTable(f).rows.isEmpty())
        slides.push_back(Slide{costSentence(f), [&f](Sheet& s) { s.table(jobTable(f)); }});
    slides.push_back({QObject::tr("What we assumed, and how sure it is"), [&f](Sheet& s) {
                          s.bullets(assumptionSentences(f));
                          s.space(10);
                          s.bullets(f.answer.certainty);
                      }});
    return slides;
}

void paintSlide(QPainter& painter, const Slide& slide, const Frame& frame)
{
    const Look look(lightPalette(), kSlideScale);
    Canvas canvas(painter, look);
    Sheet head(canvas, QRectF(kSlideSide, 48, kSlideWidth - 2 * kSlideSide, 120));
    head.headline(slide.sentence);
    head.space(8);
    head.rule();
    const double top = head.y() + canvas.px(14), foot = kSlideHeight - 44;
    Sheet body(canvas, QRectF(kSlideSide, top, kSlideWidth - 2 * kSlideSide, foot - canvas.px(10) - top));
    slide.paint(body);
    canvas.text({kSlideSide, foot + 20}, canvas.elided(frame.foot, Type::tick, kSlideWidth - 2 * kSlideSide - 80), Type::tick,
                Role::textTertiary);
    canvas.text({kSlideWidth - kSlideSide, foot + 20}, frame.number, Type::tick, Role::textTertiary, Qt::AlignRight | Qt::AlignBaseline);
}

} // namespace

std::vector<ReportPage> reportPages(const Findings& f, ReportForm form)
{
    if (form == ReportForm::paper)
        return paperPages(f);
    std::vector<ReportPage> pages;
    const std::vector<Slide> slides = slidesOf(f);
    for (std::size_t i = 0; i < slides.size(); ++i) {
        const Frame frame{f.title, metadataLine(f), QObject::tr("%1 of %2").arg(i + 1).arg(slides.size())};
        pages.push_back(
            {{kSlideWidth, kSlideHeight}, [slide = slides[i], frame](QPainter& painter) { paintSlide(painter, slide, frame); }});
    }
    return pages;
}

} // namespace prism::ui
