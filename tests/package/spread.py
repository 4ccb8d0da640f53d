#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The estimate of the prior over systems and the scores of predictions (packaging/systemsprior.py, packaging/spreadscores.py)."""
import math
import pathlib
import random
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "packaging"))
import spreadscores as scores
import systemsprior as prior

GPUS = {"dense-a": ("h100", 0.020, 0.001, 0.004), "dense-b": ("gb200", 0.038, 0.003, 0.009)}
SYSTEMS = {name: {"gpu": gpu, "isStated": True, prior.JITTER: jitter, prior.WANDER: wander, prior.TREND: trend}
           for name, (gpu, jitter, wander, trend) in GPUS.items()}


def entry(entries, path, **applies):
    return next(e["p5_p50_p95"] for e in entries if e["path"] == path and all(e.get(k) == v for k, v in applies.items()))


class AcrossSystems(unittest.TestCase):
    def test_quantiles_of_student_are_those_of_the_tables(self):
        for degrees, expected in ((1, 6.3138), (2, 2.9200), (10, 1.8125), (120, 1.6577)):
            self.assertAlmostEqual(prior.studentQuantile(degrees), expected, delta=0.002)

    def test_one_class_has_the_prediction_interval_of_a_normal_sample(self):
        # Mean 2, standard deviation 1, t(2) = 2.9200: 2.9200 sqrt(1 + 1/3) = 3.3717.
        low, middle, high = prior.acrossSystems({"a": [1, 2, 3]})["a"]
        self.assertEqual(middle, 2)
        self.assertAlmostEqual(high - 2, 3.3717, delta=0.003)
        self.assertAlmostEqual(2 - low, 3.3717, delta=0.003)

    def test_classes_without_a_difference_share_the_mean_of_all_systems(self):
        found = prior.acrossSystems({"a": [1, 2, 3, 2], "b": [0, 2, 4, 2.2]})
        self.assertAlmostEqual(found["a"][1], found["b"][1])
        self.assertAlmostEqual(found["a"][2], found["b"][2])

    def test_classes_far_apart_keep_their_own_means(self):
        found = prior.acrossSystems({"a": [0, 1, 2], "b": [100, 101, 102]})
        self.assertAlmostEqual(found["a"][1], 1, delta=0.05)
        self.assertAlmostEqual(found["b"][1], 101, delta=0.05)
        self.assertGreater(found[""][2] - found[""][0], 10 * (found["a"][2] - found["a"][0]))

    def test_shrinkage_by_hand(self):
        # Variance within 2, means 1 and 5, two systems each: Q = 2 / 2 x 2^2 x 2 = 8; between = (8 - 1) / (2 - 1) = 7; each class mean has
        # the variance 1 and the weight 1/8: own share 7/8. 3 - 7/8 x 2 = 1.25; variance 2 + 7/8 + (1/8)^2 x 4; t(2) = 2.9200.
        found = prior.acrossSystems({"a": [0, 2], "b": [4, 6]})["a"]
        self.assertAlmostEqual(found[1], 1.25)
        self.assertAlmostEqual(found[2] - found[1], 2.9200 * math.sqrt(2 + 7 / 8 + 4 / 64), delta=0.003)

    def test_nine_of_ten_further_systems_are_inside(self):
        draw, inside, trials = random.Random(3), 0, 1000
        for _ in range(trials):
            mean = draw.gauss(0, 3)
            low, _, high = prior.acrossSystems({"a": [draw.gauss(mean, 1) for _ in range(6)]})["a"]
            inside += low <= draw.gauss(mean, 1) <= high
        self.assertAlmostEqual(inside / trials, 0.9, delta=3 * math.sqrt(0.09 / trials))


class Prior(unittest.TestCase):
    def test_the_stated_value_of_a_system_is_the_nearest(self):
        self.assertEqual(prior.others([10, 21, 40], [38]), [10, 21])
        self.assertEqual(prior.others([10, 21, 40], [11, 38, 39, 7]), [])

    def test_a_system_that_is_omitted_is_in_no_part_of_the_estimate(self):
        without = {name: values for name, values in SYSTEMS.items() if name != "dense-b"}
        for cause in (prior.JITTER, prior.WANDER, prior.TREND):
            found = prior.evidence(cause, SYSTEMS, "dense-b")["blackwell"]
            self.assertNotIn(SYSTEMS["dense-b"][cause], found)
            self.assertEqual(len(found), len(prior.evidence(cause, without, None)["blackwell"]) - 1, "its stated value as well")

    def test_omitting_the_unsteady_system_narrows_routing(self):
        everything, rest = (entry(prior.priorWithout(SYSTEMS, name), prior.ROUTING, moe=True) for name in (None, "GB300, 2,048 GPUs"))
        self.assertLess(rest[1], everything[1])
        self.assertLess(rest[2], everything[2])

    def test_quantiles_ascend_and_only_the_trend_is_negative(self):
        for e in prior.priorWithout(SYSTEMS):
            low, middle, high = e["p5_p50_p95"]
            self.assertTrue(low <= middle <= high and (low >= 0 or e["path"] == prior.TREND), e)


class Scores(unittest.TestCase):
    def test_binomial_interval_is_that_of_clopper_and_pearson(self):
        for k, n, low, high in ((16, 16, 0.7941, 1), (0, 10, 0, 0.3085), (12, 16, 0.4762, 0.9273)):
            found = scores.binomialInterval(k, n)
            self.assertAlmostEqual(found[0], low, delta=1e-4)
            self.assertAlmostEqual(found[1], high, delta=1e-4)

    def test_densities_integrate_to_one(self):
        width = 1e-5
        grid = [0.9 + (i + 0.5) * width for i in range(20_000)]
        through = scores.densityOf([1 + 0.003 * (i / 25 - 1) + 0.005 * (i / 25 - 1) ** 3 for i in range(scores.QUANTILES)])
        self.assertAlmostEqual(sum(map(through, grid)) * width, 1, delta=0.02)
        self.assertAlmostEqual(sum(scores.lognormalDensity(x, 0.005) for x in grid) * width, 1, delta=1e-3)
        self.assertAlmostEqual(sum(math.exp(scores.rangeScore(x, 0.99, 0.995, 1.005)) for x in grid) * width, 1, delta=1e-3)

    def test_the_true_distribution_scores_best(self):
        draw = random.Random(1)
        steps = sorted(draw.lognormvariate(0, 0.005) for _ in range(2000))
        found = {cv: scores.stepScore(steps, lambda x: scores.lognormalDensity(x, cv)) for cv in (0.0025, 0.005, 0.01)}
        self.assertEqual(max(found, key=found.get), 0.005)
        self.assertAlmostEqual(scores.stepScore(steps, scores.densityOf(scores.quantilesOf(steps))), found[0.005], delta=0.05)

    def test_distance_of_kolmogorov_and_smirnov(self):
        self.assertAlmostEqual(scores.distance([0.1, 0.2, 0.7], lambda x: x), 2 / 3 - 0.2)


if __name__ == "__main__":
    unittest.main()
