// SPDX-License-Identifier: GPL-3.0-or-later
// A writer that edits a study until it is killed, and reports through a pipe which edits were acknowledged.
#pragma once

namespace prism::study_test {

/// Kills a writer of a fresh study `times` times at random moments (fixed seed) and checks each time that the file opens, is
/// sound, and holds every acknowledged edit.
void killWriters(int times, unsigned seed);

} // namespace prism::study_test
