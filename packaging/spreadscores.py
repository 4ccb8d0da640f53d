# SPDX-License-Identifier: GPL-3.0-or-later
"""Statistics and scores of predicted distributions, for spread.py."""
import math
import random
import statistics

QUANTILES = 50  # of a distribution of steps that is scored
FLOOR = 0.01  # share of a logarithmic Cauchy distribution (and its scale) in each scored distribution of steps: one stall decides no score


def quantile(values, p):
    place = p * (len(values) - 1)
    low = int(place)
    return values[low] + (place - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def overMedian(seconds):
    middle = statistics.median(seconds)
    return sorted(s / middle for s in seconds)


def excess(seconds):
    """Logarithm of p95/p50 - 1: in it one range has the same width on calm and on unsteady systems."""
    return math.log(quantile(overMedian(seconds), 0.95) - 1)


def excessError(seconds, again=200, block=20):
    """Standard error of excess(), from blocks of steps drawn again."""
    draw, found = random.Random(1), []
    for _ in range(again):
        starts = [draw.randrange(max(1, len(seconds) - block + 1)) for _ in range(math.ceil(len(seconds) / block))]
        found.append(excess([s for start in starts for s in seconds[start:start + block]]))
    return statistics.stdev(found)


def normalScore(x, middle, deviation):
    return -0.5 * ((x - middle) / deviation) ** 2 - math.log(deviation * math.sqrt(2 * math.pi))


def rangeScore(x, low, middle, high):
    """Logarithm of the density of a normal distribution with unequal sides, given its 5, 50 and 95 % quantiles."""
    below, above = (middle - low) / 1.645, (high - middle) / 1.645
    side = below if x < middle else above
    return -0.5 * ((x - middle) / side) ** 2 - math.log((below + above) / 2 * math.sqrt(2 * math.pi))


def lognormalDensity(x, cv):
    return math.exp(-0.5 * (math.log(x) / cv) ** 2) / (x * cv * math.sqrt(2 * math.pi))


def densityOf(quantiles):
    """Density through evenly spaced quantiles: uniform between neighbours, exponential beyond the ends."""
    share = 1 / len(quantiles)

    def density(x):
        if x < quantiles[0] or x >= quantiles[-1]:
            gap = max(1e-5, quantiles[1] - quantiles[0] if x < quantiles[0] else quantiles[-1] - quantiles[-2])
            return 0.5 * share / gap * math.exp(-min(abs(x - quantiles[0]), abs(x - quantiles[-1])) / gap)
        i = next(i for i in range(1, len(quantiles)) if x < quantiles[i]) - 1
        return share / max(1e-5, quantiles[i + 1] - quantiles[i])

    return density


def quantilesOf(steps):
    return [quantile(steps, (i + 0.5) / QUANTILES) for i in range(QUANTILES)]


def stepScore(steps, density):
    return statistics.mean(math.log((1 - FLOOR) * density(s) + FLOOR / (math.pi * FLOOR * s * (1 + (math.log(s) / FLOOR) ** 2))) for s in steps)


def distance(steps, shareBelow):
    """Kolmogorov-Smirnov."""
    n = len(steps)
    return max(max(abs(shareBelow(s) - i / n), abs(shareBelow(s) - (i + 1) / n)) for i, s in enumerate(steps))


def steppedShare(values):
    return lambda x: sum(v <= x for v in values) / len(values)


def binomialInterval(k, n, share=0.95):
    """Clopper and Pearson 1934, Biometrika 26."""
    def atLeast(k, p):
        return sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))

    def solved(k, wanted):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if atLeast(k, middle) < wanted else (low, middle)
        return low

    tail = (1 - share) / 2
    return (solved(k, tail) if k else 0.0), (solved(k + 1, 1 - tail) if k < n else 1.0)
