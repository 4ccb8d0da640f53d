// SPDX-License-Identifier: GPL-3.0-or-later
// The stated band: what holds 90 % of the rows of sources that neither the fit nor the band has seen.
#pragma once

#include "core/calibrate/leftout.h"

namespace prism {

/// The share that a stated band holds.
inline constexpr double kBandShare = 0.9;

/// Bands by kind of job, GPU and precision (bandKinds) from errors of left-out sources. A kind has a band of its own from 20 rows of two
/// sources on; of complete rows (tier A), or of all where those are too few. Each source counts once: the quantiles are those of a row
/// drawn from a source drawn at random. All bands are then widened by one factor, so that bands made without a source hold 90 % of the
/// complete rows of that source, all sources taken together: sources differ more among each other than their rows do. The factor and the
/// share that every band holds this way stand in the calibration; one report per band.
void setBands(Calibration& calibration, const std::vector<LeftOutError>& errors, std::vector<FitReport>& reports);

} // namespace prism
