// SPDX-License-Identifier: GPL-3.0-or-later
// The stated band: covers 90 % of the rows of sources that are held out of both fit and band.
#pragma once

#include "bench/constants/leftout.h"

namespace prism {

/// The coverage of a stated band.
inline constexpr double kBandShare = 0.9;

/// Bands by kind of job, precision and GPU (bandKinds) from errors of held-out sources: conformal prediction with a score that is scaled
/// by kind (Lei et al. 2018, arXiv 1604.04173, section 5.2), the sources drawn and not the rows (Dunn et al. 2022, arXiv 1809.07441: each
/// source weighs the same). Score of a row = |log(predicted / published)| over the scale of its narrowest kind; the scale is the mean of
/// these logarithms, where the next wider kind counts as one source more; a kind has one from 20 rows of two sources on. The 90th
/// percentile of the scores times the scale is the band, in logarithms, on both sides. Cross-validation excludes each source once: each
/// of its rows is tested against the band whose scales and percentile come from the other sources alone. The coverage is stored with each
/// band.
void setBands(Calibration& calibration, const std::vector<HeldOutError>& errors, std::vector<FitReport>& reports);

} // namespace prism
