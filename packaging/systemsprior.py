# SPDX-License-Identifier: GPL-3.0-or-later
"""Distribution of the causes of spread over systems: the estimate that makes presets/systems/mlperf-training.json (spread.py --renew).

Random effects: the value of a system = mean + effect of its class + effect of the system, all normal; a cause that is never negative is
modelled by its square root, which keeps 0 a value. The class mean shrinks towards that of all systems by the share of the variance
that lies between classes (DerSimonian and Laird 1986, Control. Clin. Trials 7). Another system of the class has Student's t distribution
around the class mean: its 5, 50 and 95 % quantiles are the prior. Models with experts are few: they take the variance of the dense ones.
"""
import math
import statistics

JITTER, WANDER, ROUTING, TREND = "variability.step_jitter_s", "variability.compute_regime.cv", "variability.moe_imbalance_regime.cv", "trend"
CLASSES = {"hopper": ["h100", "h200", "h800", "gh200"], "blackwell": ["b200", "gb200", "b300", "gb300"]}
EXPERTS = "experts"  # class of the models with experts, on any GPU

# Values of systems by GPU, as they were published: MLPerf Training 5.0, 5.1 and 6.0 result logs, dense models on 256 to 8,192 GPUs;
# smallest and largest, and those between them that are stated. Jitter in s, wander and trend relative to the step.
STATED = {
    JITTER: {"h100": [0.023, 0.038], "h200": [0.025, 0.027], "gb200": [0.010, 0.021, 0.040], "b200": [0.030, 0.039], "gb300": [0.006]},
    WANDER: {"h100": [0, 0.0001, 0.003], "h200": [0.0006, 0.0009], "gb200": [0.0004, 0.0028], "b200": [0.0027, 0.0034], "gb300": [0.0005]},
    TREND: {"h100": [0.005, 0.009, 0.0135], "h200": [0.005, 0.008], "gb200": [-0.032, 0.020], "b200": [-0.0035, -0.001], "gb300": [-0.002]},
}
NINE_OF_TEN = {TREND: (-0.010, 0.012)}  # of 20 systems, stated as well: values beyond are winsorised, so that one system sets no width
# The same logs, DeepSeek-V3 with real routing, by system: variation of a step without its trend over the share of the step that the
# products of the experts take (0.3); trend.
STATED_EXPERTS = {
    "GB200, 2,048 GPUs": {ROUTING: 0.008 / 0.3, TREND: -0.030},
    "GB300, 512 GPUs": {ROUTING: 0.008 / 0.3, TREND: -0.032},
    "GB300, 2,048 GPUs": {ROUTING: 0.030 / 0.3, TREND: -0.027},
}
STALLS, STALL_GPU_HOURS = 198, 75_400  # of half a second and more, 20 systems of the same logs

# Links: no system was measured so that they show. Each: path, quantiles, source.
JUDGED = [
    ("variability.intra_regime.cv", [0, 0.0005, 0.002],
     "MLPerf Training 5.0 to 6.0 result logs: what H100 and H200 steps have beside the white jitter in seconds and the trend is at most "
     "0.01 and 0.09 % of the step, of which a third is exposed to NVLink; the upper end is the presets' 0.2 %"),
    ("variability.inter_regime.cv", [0.0002, 0.002, 0.01],
     "Judgement around the presets' 1 and 5 %: the bulk of the steps of 20 systems leaves the network at most 0.3 % of the step (MLPerf "
     "Training 5.0 to 6.0 result logs), of which a tenth to a third is exposed to it"),
]


def studentQuantile(degrees, probability=0.95):
    """Above the median, by integrating the density in steps of 0.001."""
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)
    area, x, width = 0.5, 0.0, 1e-3
    while area < probability:
        area += width * scale * (1 + (x + width / 2) ** 2 / degrees) ** (-(degrees + 1) / 2)
        x += width
    return x


def pooledVariance(classes):
    """(sum of squares around the class means, degrees of freedom)."""
    squares = sum((x - statistics.mean(v)) ** 2 for v in classes.values() for x in v)
    return squares, sum(map(len, classes.values())) - len(classes)


def acrossSystems(classes, further=(0, 0)):
    """{class: (p5, p50, p95)} of another system, from {class: [value of a system]}; "" = a system of another class. `further`: squares
    and degrees of freedom of systems elsewhere, which add to the variance within a class."""
    squares, degrees = (a + b for a, b in zip(pooledVariance(classes), further))
    within, t = squares / degrees, studentQuantile(degrees)
    means = {c: statistics.mean(v) for c, v in classes.items()}
    precision = {c: len(v) / within for c, v in classes.items()}

    def center(weights):
        return sum(weights[c] * means[c] for c in classes) / sum(weights.values())

    between = 0.0
    if len(classes) > 1:
        excess = sum(precision[c] * (means[c] - center(precision)) ** 2 for c in classes) - len(classes) + 1
        total = sum(precision.values())
        between = max(0.0, excess / (total - sum(p * p for p in precision.values()) / total))
    weights = {c: 1 / (between + 1 / precision[c]) for c in classes}
    middle, error = center(weights), 1 / sum(weights.values())

    def around(mean, variance):
        return mean - t * math.sqrt(variance), mean, mean + t * math.sqrt(variance)

    out = {"": around(middle, within + between + error)}
    for c in classes:
        own = between * weights[c]  # share of the class's own mean
        out[c] = around(middle + own * (means[c] - middle), within + own / precision[c] + (1 - own) ** 2 * error)
    return out


def others(stated, own):
    """Stated values of a GPU without those of the given systems, which are among them: the nearest one to each."""
    rest = list(stated)
    for value in own:
        if rest:
            rest.remove(min(rest, key=lambda x: abs(x - value)))
    return rest


def evidence(cause, systems, omitted):
    """{class: [value]} of a cause without one system. systems: {name: {"gpu", "isStated", cause: value}}."""
    classes = {}
    for name, gpus in CLASSES.items():
        for gpu in gpus:
            here = {s: v for s, v in systems.items() if v["gpu"] == gpu and cause in v}
            own = [v[cause] for s, v in here.items() if s != omitted]
            stated = others(STATED[cause].get(gpu, []), [v[cause] for v in here.values() if v["isStated"]])
            low, high = NINE_OF_TEN.get(cause, (0, math.inf))
            classes.setdefault(name, []).extend(min(max(value, low), high) for value in own + stated)
    return {c: v for c, v in classes.items() if v}


def rounded(value):
    return round(float(f"{value:.2g}"), 4)


def priorWithout(systems, omitted=None):
    """The causes of presets/systems, estimated without one of the systems."""
    entries = []

    def add(cause, quantiles, source, **applies):
        entries.append({"path": cause, **applies, "p5_p50_p95": [rounded(q) for q in quantiles], "source": source})

    def square(quantiles):
        return [max(0.0, q) ** 2 for q in quantiles]

    def addExperts(cause, values, found, source, **applies):
        add(cause, found[EXPERTS], f"{len(values)} systems with DeepSeek-V3 and real routing (MLPerf Training 6.0 result logs): {source}",
            moe=True, **applies)

    experts = [v for s, v in STATED_EXPERTS.items() if s != omitted]
    for cause in (JITTER, WANDER, TREND):
        values = evidence(cause, systems, omitted)
        scaled = values if cause == TREND else {c: [math.sqrt(x) for x in v] for c, v in values.items()}
        found = acrossSystems(scaled)
        if cause == TREND:
            trends = [v[TREND] for v in experts]
            addExperts(TREND, trends, acrossSystems({EXPERTS: trends}, pooledVariance(scaled)),
                       f"{min(trends):.3f} to {max(trends):.3f}; they differ as dense ones do")
        else:
            found = {c: square(q) for c, q in found.items()}
        if cause == JITTER:
            # Routing is redrawn in each step as well: its systems differ by the same share of their mean.
            routing = [math.sqrt(v[ROUTING]) for v in experts]
            squares, degrees = pooledVariance(scaled)
            scale = statistics.mean(routing) / statistics.mean(x for v in scaled.values() for x in v)
            addExperts(ROUTING, routing, {EXPERTS: square(acrossSystems({EXPERTS: routing}, (squares * scale**2, degrees))[EXPERTS])},
                       "0.8, 0.8 and 3.0 % of the step without its trend, over the 30 % of it that the products of the experts take; they "
                       "differ by the share of their mean by which jitter does", unless_stated="variability.moe_imbalance.cv")
        stated = [x for v in values.values() for x in v]
        source = f"{len(stated)} systems of MLPerf Training 5.0 to 6.0 (result logs), {min(stated):.2g} to {max(stated):.2g}"
        for c, gpus in CLASSES.items():
            if c in found and [rounded(q) for q in found[c]] != [rounded(q) for q in found[""]]:
                add(cause, found[c], f"{source}; {len(values[c])} of this generation, {min(values[c]):.2g} to {max(values[c]):.2g}", gpus=gpus)
        add(cause, found[""], source)
    return entries + [{"path": path, "p5_p50_p95": quantiles, "source": source} for path, quantiles, source in JUDGED]


def preset(systems):
    number = sum(len(v) for v in evidence(JITTER, systems, None).values()) + len(STATED_EXPERTS)
    return {
        "title": f"MLPerf Training 5.0 to 6.0: {number} systems",
        "causes": priorWithout(systems),
        "sources": {
            "causes": "Estimated by packaging/systemsprior.py from result logs of MLPerf Training 5.0, 5.1 and 6.0: Llama 3.1 405B and 8B on 64 "
                      "to 8,192 H100, H200, B200, GB200 and GB300, DeepSeek-V3 with real routing on 512 to 2,048 GB200 and GB300. Jitter of "
                      "a step against its neighbours, what lasts from step to step after the trend, and the trend from the first to the last "
                      "step, warm-up and steps after pauses omitted. resources/help/spread.md: each system predicted from the others"
        },
    }
