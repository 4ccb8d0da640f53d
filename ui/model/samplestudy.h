// SPDX-License-Identifier: GPL-3.0-or-later
// The study that the first start shows.
#pragma once

#include "ui/model/studystate.h"

namespace prism::ui {

/// The sample study of the first start: one published job as it was run, the same with another layout, and with a slow node.
[[nodiscard]] StudyState sampleStudy();
/// Why there is no sample study: the folders that were searched for the preset library. Empty where there is one.
[[nodiscard]] QString missingLibrary();

} // namespace prism::ui
