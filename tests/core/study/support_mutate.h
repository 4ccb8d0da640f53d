// SPDX-License-Identifier: GPL-3.0-or-later
// Damaged and hostile study files.
#pragma once

namespace prism::study_test {

/// Makes `count` mutations of a sample study (fixed seed): bit flips, truncations, overwritten blocks, swapped pages, header
/// fields, foreign schemas, impossible sizes. Opens, uses and salvages each; none may crash or hang.
void mutateStudies(int count, unsigned seed);

} // namespace prism::study_test
