// SPDX-License-Identifier: GPL-3.0-or-later
// Times that people mark on the step-time axis, as text that is typed and as the study file keeps them.
#pragma once

#include "core/base/result.h"
#include "ui/model/studystate.h"

#include <QJsonArray>
#include <QString>

namespace prism::ui {

inline constexpr std::size_t kMaxMarks = 12; ///< letters that a footer can explain

/// "6.8 s" and "930 ms" in seconds; no unit = seconds; 0 where it is not a time above zero.
[[nodiscard]] double secondsFrom(const QString& text);

/// One mark per line: a time with its unit, then words: "6.8 s the contract". Empty lines are ignored. In the order of their times.
/// Errors: every line that is not a mark, with its number; more than kMaxMarks.
[[nodiscard]] Result<std::vector<TimeMark>> marksFrom(const QString& text);
/// The lines that give these marks again.
[[nodiscard]] QString textOf(const std::vector<TimeMark>& marks);
/// "A 6.80 s the contract; B …": what a chart writes beneath its letters.
[[nodiscard]] QString keyOf(const std::vector<TimeMark>& marks);
[[nodiscard]] QString letterOf(std::size_t mark); ///< "A" of 0

[[nodiscard]] QJsonArray marksJson(const std::vector<TimeMark>& marks);
/// The marks of a file's array; other elements, and marks beyond kMaxMarks, are omitted.
[[nodiscard]] std::vector<TimeMark> marksFrom(const QJsonArray& array);

} // namespace prism::ui
