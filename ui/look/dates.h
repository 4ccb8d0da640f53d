// SPDX-License-Identifier: GPL-3.0-or-later
// Times of a whole run as people read them: calendar dates where the start is known, and spans from seconds to hours.
#pragma once

#include <QDate>
#include <QString>

#include <optional>
#include <string>

namespace prism::ui::format {

/// The calendar date `days` after an ISO date; invalid without a valid start. Whole days: the day on which the time falls.
[[nodiscard]] QDate dateAfter(const std::string& start, double days);
/// "14 March", "14 March 2027" where the year differs from that of the start; "day 81" without a start.
[[nodiscard]] QString dayOfRun(const std::string& start, double days);
/// The last moment that a deadline of `days` days allows: "by 14 March", a day that still counts, or "within 78 days" without a start.
[[nodiscard]] QString byDeadline(const std::string& start, double days);
/// Days from the start until a deadline is over: "80", "80 d", or a date ("2026-03-14", "14 March 2026", "14 Mar 2026"), whose day still
/// counts. Nothing for other text, or a date without a start.
[[nodiscard]] std::optional<double> deadlineDays(const QString& text, const std::string& start);
/// The unit in which a span of `seconds` is written: seconds, minutes from 2 minutes on, hours from 2 hours on.
struct SpanUnit {
    double seconds = 60;
    QString name; ///< "min"
};
[[nodiscard]] SpanUnit spanUnit(double seconds);
/// "45 s", "8.2 min", "1.5 h", "never" where it is infinite.
[[nodiscard]] QString span(double seconds);

} // namespace prism::ui::format
