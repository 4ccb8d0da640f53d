// The maximum of independent variables of one shape: mean and variance by quadrature over the product of their CDFs.
#pragma once

#include "core/sim/griddist.h"

#include <vector>

namespace prism {

struct Moments {
    double mean = 0.0, variance = 0.0;
};

/// CDF of a standardised variable (mean 0, variance 1), tabulated on the grid of its distribution. Immutable; any thread.
class StandardCdf final {
public:
    StandardCdf() = default;
    explicit StandardCdf(const GridDist& dist);

    [[nodiscard]] bool empty() const { return m_cdf.empty(); }
    /// Where the CDF leaves 0 and reaches 1, in standard deviations.
    [[nodiscard]] double zMin() const { return m_zMin; }
    [[nodiscard]] double zMax() const { return m_zMax; }
    [[nodiscard]] double at(double z) const
    {
        const double t = (z - m_low) * m_perUnit;
        if (t <= 0.0)
            return 0.0;
        const auto i = static_cast<std::size_t>(t);
        if (i + 1 >= m_cdf.size())
            return 1.0;
        const double part = t - static_cast<double>(i), low = static_cast<double>(m_cdf[i]);
        return low + part * (static_cast<double>(m_cdf[i + 1]) - low);
    }

private:
    double m_low = 0.0, m_perUnit = 1.0, m_zMin = -1.0, m_zMax = 1.0;
    std::vector<float> m_cdf;
};

/// Mean and variance of max_r (means[r] + sigmas[r] Z_r), Z_r independent with the CDF `shape`. `n` >= 1.
[[nodiscard]] Moments maximumMoments(const StandardCdf& shape, const double* means, const double* sigmas, int n);

} // namespace prism
