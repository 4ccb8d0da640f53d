// SPDX-License-Identifier: GPL-3.0-or-later
// A sampled distribution as few points for a chart: CDF with its band, density. The reduction is done here, once, so that
// a chart draws at most a few hundred points.
#pragma once

#include <cstddef>
#include <vector>

namespace prism {

/// One point of an empirical CDF: P(step <= seconds), with a band that covers the whole true curve with 95 % probability, and room for the
/// 95 % interval of this one probability, which is the only informative one in the tails.
struct CurvePoint {
    double seconds = 0, probability = 0, low = 0, high = 0; ///< probabilities in [0, 1]
    double pointLow = 0, pointHigh = 1;                     ///< probabilities in [0, 1]; known after addPointIntervals
};

/// The CDF of ascending samples, as at most `maxPoints` points, dense where the curve bends and in both tails.
/// Band: Dvoretzky-Kiefer-Wolfowitz with Massart's constant (Ann. Probab. 18, 1990): eps = sqrt(ln(2 / 0.05) / (2 n)).
/// Non-finite samples are omitted; `dropped`, where given, counts them. Empty without samples. Any thread.
[[nodiscard]] std::vector<CurvePoint> cdfCurve(const std::vector<double>& sortedSeconds, int maxPoints = 512, int* dropped = nullptr);
/// Fills the interval of every point of a curve of `samples` finite samples: Clopper and Pearson (Biometrika 26, 1934), beta quantiles at
/// 2.5 and 97.5 %. Some ten microseconds a point, a hundred times the point itself: for readers of the tails. Any thread.
void addPointIntervals(std::vector<CurvePoint>& curve, std::size_t samples);

struct DensityPoint {
    double seconds = 0, perSecond = 0;
};

/// Gaussian kernel density of ascending samples on an even grid; bandwidth 0.9 min(std, IQR / 1.34) n^(-1/5) (Silverman 1986, eq. 3.31).
/// Empty where all samples have the same value. Any thread.
[[nodiscard]] std::vector<DensityPoint> densityCurve(const std::vector<double>& sortedSeconds, int points = 256);

} // namespace prism
