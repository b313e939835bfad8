"""Fits the trees of the second look, and measures them on data that they were not fitted on.

    anamne-eval recall --data DATA --features features.jsonl
    python3 crates/anamne-eval/fitting/second_look.py features.jsonl [--write] [--folds FOLDER] [--unseen FILE]

Sets of one kind are a family (FAMILIES). Three rankings are compared:

- present: the weights of model.rs, which were fitted on some of these sets;
- weights: weights fitted from equal ones without the part that is measured;
- trees: these weights, corrected by trees that were fitted without that part, too.

The part that is measured is a fifth of the conversations (fifth_of), or a whole family. The tables give the mean of each metric and
the difference of the trees to the weights, with a 95 % bootstrap interval over questions. `--write` fits the trees on
everything, on top of the present weights, and writes them. `--folds` writes what `anamne-eval report` measures with: the
same trees, fitted without each family and without each fifth of the conversations. `--unseen` writes the features again, with the first results
of each question as trees order them that were fitted without its conversation: confidence.py must be fitted on these,
because fitted trees are surer of what they were fitted on. A family weighs as the square root of its questions.

Takes a few minutes. Needs NumPy, SciPy and LightGBM.
"""

import argparse
import json
import re
from collections import defaultdict
from pathlib import Path

import lightgbm
import numpy as np
from scipy.optimize import minimize

from trees import tree_lines

RECALL = Path(__file__).parents[2] / "anamne-recall" / "src"
MODEL = RECALL / "model.rs"
FOREST = RECALL / "second_look" / "forest.txt"

# Sets of one kind; a set that is not named is its own family.
FAMILIES = {"beam500": "beam"}

# The candidates that get a second look.
LOOKED_AT = 32

# Deviations below this count as none.
SAME = 1e-4

# Not fitted: the conversations have no importance, feedback or superseded memories.
KEPT = {"importance", "distrust", "feedback", "access", "superseded", "category", "role_fit", "graph", "second_look"}

# Parts of the conversations; src/held_out.rs has the same number.
FIFTHS = 5
TREES = 250
SETTINGS = {
    "objective": "lambdarank",
    "learning_rate": 0.05,
    "num_leaves": 16,
    "min_data_in_leaf": 100,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "feature_fraction": 0.5,
    "lambda_l2": 10,
    "lambdarank_truncation_level": 10,
    "verbose": -1,
    "num_threads": 1,
    "seed": 1,
    "deterministic": True,
}

METRICS = ["recall@10", "hit@1", "hit@3", "mrr", "ndcg@10", "recall@R"]


def fifth_of(set_name, corpus):
    """The fifth that a conversation belongs to: FNV-1a of 64 bits over "set/corpus"; src/held_out.rs has the same."""
    fnv = 0xCBF2_9CE4_8422_2325
    for byte in f"{set_name}/{corpus}".encode():
        fnv = (fnv ^ byte) * 0x100_0000_01B3 % 2**64
    return fnv % FIFTHS


class Query:
    """The results of one question, best first by the weights; units are records, or threads by their best record."""

    def __init__(self, line, names):
        self.set, self.category = line["set"], line["category"]
        self.family = FAMILIES.get(self.set, self.set)
        self.fifth = fifth_of(line["set"], line["corpus"])
        evidence = line["evidence"] or line["evidence_threads"]
        unit = "id" if line["evidence"] else "thread"
        results = list(line["results"])
        for result in results:
            result["weighted"] = result["score"] - names.weight * result["features"].get("second_look", 0.0)
        results.sort(key=lambda result: -result["weighted"])
        looked_at = [result for result in results if "best_sentence" in result["judged_by"]][:LOOKED_AT]
        self.results = results
        self.wanted = len(evidence)
        numbers = {}
        for result in results:
            numbers.setdefault(result[unit], len(numbers))
        self.units = np.array([numbers[result[unit]] for result in results])
        self.is_wanted = np.zeros(len(numbers), dtype=bool)
        self.is_wanted[[numbers[name] for name in evidence if name in numbers]] = True
        self.relevant = self.is_wanted[self.units].astype(float)
        self.score = np.array([result["weighted"] for result in results])
        self.features = np.array([[result["features"][name] for name in names.all] for result in results])
        pair = [[result["judged_by"][name] for name in names.pair] for result in looked_at]
        own = [[result["features"][name] for name in names.own] for result in looked_at]
        self.values = np.hstack([np.array(own), np.array(pair)]).astype(np.float32)

    def inputs(self, score):
        """The inputs of the trees, as second_look/mod.rs computes them, and the places of their results."""
        order = np.argsort(-score[: len(self.values)], kind="stable")
        values, first = self.values[order], score[order]
        mean, deviation = values.mean(0), values.std(0)
        relative = np.where(deviation > SAME, (values - mean) / np.maximum(deviation, SAME), 0.0)
        tenth = first[min(9, len(first) - 1)]
        scores = np.stack([first - first[0], first - tenth], 1)
        return np.hstack([scores, values, relative]), order

    def judge(self, score):
        """The metrics of an order."""
        seen = np.zeros(len(self.is_wanted), dtype=bool)
        found = []
        for place in np.argsort(-score, kind="stable"):
            unit = self.units[place]
            if not seen[unit]:
                seen[unit] = True
                found.append(self.is_wanted[unit])
        found = np.array(found)
        hits = np.flatnonzero(found)
        gains = 1 / np.log2(np.arange(10) + 2)
        first = found[:10]
        return [
            first.sum() / self.wanted,
            float(found[:1].any()),
            float(found[:3].any()),
            1 / (hits[0] + 1) if len(hits) else 0.0,
            (first * gains[: len(first)]).sum() / gains[: min(self.wanted, 10)].sum(),
            found[: self.wanted].sum() / self.wanted,
        ]


class Names:
    """The names of the features and inputs."""

    def __init__(self, first_result):
        header = FOREST.read_text(encoding="utf-8").splitlines()[0].split(" ")
        self.inputs = header
        plain = [name for name in header[2:] if not name.startswith("relative_")]
        self.all = list(first_result["features"])
        source = MODEL.read_text(encoding="utf-8")
        table = source[source.index("\nfeatures! {") :]
        self.weights = {name: float(value) for name, value in re.findall(r"^    (\w+) (-?[\d.]+),$", table, re.MULTILINE)}
        self.weight = self.weights["second_look"]
        self.own = [name for name in plain if name in self.all]
        self.pair = plain[len(self.own) :]


def read(paths):
    """The questions with known evidence."""
    queries, names = [], None
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for text in lines:
                line = json.loads(text)
                known = line["evidence"] or line["evidence_threads"]
                if not line["answerable"] or line["category"] == "adversarial" or not known or not line["results"]:
                    continue
                names = names or Names(line["results"][0])
                queries.append(Query(line, names))
    return queries, names


def write_unseen(paths, target, queries, names):
    """Writes all lines, each with the first ten results of trees that were fitted without its conversation."""
    trees = [fit_without(queries, lambda query: query.fifth, left_out) for left_out in range(FIFTHS)]
    with open(target, "w", encoding="utf-8") as output:
        for path in paths:
            for text in open(path, encoding="utf-8"):
                line = json.loads(text)
                if line["results"]:
                    query = Query(line, names)
                    score = corrected(trees[query.fifth], query, query.score, names.weight)
                    line["usual"] = first_results(query, score, names.weights)
                line["results"] = []
                output.write(json.dumps(line) + "\n")


def first_results(query, score, weights):
    """The first ten results of an order, with the inputs of their confidence that depend on it."""
    order = np.argsort(-score, kind="stable")[:10]
    tenth = score[order[9]] if len(order) == 10 else 0.0
    results = [dict(query.results[place]) for place in order]
    without_author = [score[at] - weights["author"] * result["features"]["author"] for at, result in zip(order, results)]
    for place, (at, result) in enumerate(zip(order, results)):
        result["judged_by"] = result["judged_by"] | {
            "ahead": score[at] - tenth,
            "behind": min(0.0, without_author[place] - max(without_author)),
            "place": np.log1p(place),
            "second_look": (score[at] - query.score[at]) / weights["second_look"],
        }
    return results


def shares(queries):
    """The weight of each question: a family weighs as the square root of its questions."""
    sizes = defaultdict(int)
    for query in queries:
        sizes[query.family] += 1
    total = sum(size**0.5 for size in sizes.values())
    return [sizes[query.family] ** -0.5 / total for query in queries]


def fit_weights(queries, names):
    """Weights that maximise the listwise likelihood of the evidence (Cao et al. 2007), and their regularisation."""
    free = np.array([name not in KEPT for name in names.all])
    scale = np.concatenate([query.features[:, free] for query in queries]).std(0) + 1e-6
    lists = [(share, query.features[:, free] / scale, query.relevant) for share, query in zip(shares(queries), queries)]
    lists = [(share, features, relevant / relevant.sum()) for share, features, relevant in lists if relevant.any()]

    def objective(weights):
        value, gradient = 1e-3 * weights @ weights, 2e-3 * weights
        for share, features, relevant in lists:
            scores = features @ weights
            likely = np.exp(scores - scores.max())
            likely /= likely.sum()
            value -= share * (relevant @ np.log(likely + 1e-12))
            gradient -= share * ((relevant - likely) @ features)
        return value, gradient

    found = minimize(objective, np.ones(len(scale)), jac=True, method="L-BFGS-B", options={"maxiter": 100}).x
    weights = np.zeros(len(free))
    weights[free] = found / scale
    return weights


def fit_trees(queries, score):
    """Trees on top of a score."""
    parts = [query.inputs(score(query)) for query in queries]
    counts = [len(order) for _, order in parts]
    weights = np.repeat(shares(queries), counts) * len(queries)
    data = lightgbm.Dataset(
        np.concatenate([inputs for inputs, _ in parts]),
        np.concatenate([query.relevant[order] for query, (_, order) in zip(queries, parts)]),
        group=counts,
        weight=weights,
        init_score=np.concatenate([score(query)[order] for query, (_, order) in zip(queries, parts)]),
    )
    return lightgbm.train(SETTINGS, data, TREES)


def fit_without(queries, group, left_out):
    """Trees on top of the present weights, fitted without one group."""
    return fit_trees([query for query in queries if group(query) != left_out], lambda query: query.score)


def corrected(trees, query, score, weight):
    """The score with the correction, which has a weight; the same where no result got a second look."""
    if not len(query.values):
        return score
    inputs, order = query.inputs(score)
    score = score.copy()
    score[order] += weight * trees.predict(inputs)
    return score


def measure(queries, names, group):
    """Weights and trees for each question, fitted without its group."""
    results = {}
    for left_out in sorted({group(query) for query in queries}):
        rest = [query for query in queries if group(query) != left_out]
        weights = fit_weights(rest, names)
        trees = fit_trees(rest, lambda query: query.features @ weights)
        on_present = fit_without(queries, group, left_out)
        for query in queries:
            if group(query) == left_out:
                score = query.features @ weights
                results[query] = [
                    query.judge(query.score),
                    query.judge(score),
                    query.judge(corrected(trees, query, score, names.weight)),
                    query.judge(corrected(on_present, query, query.score, names.weight)),
                ]
    return results


def interval(differences):
    """A 95 % bootstrap interval of the mean."""
    random = np.random.default_rng(1)
    differences = np.array(differences)
    means = [random.choice(differences, len(differences)).mean() for _ in range(1000)]
    return np.quantile(means, [0.025, 0.975])


def report(title, results):
    """A table per set."""
    print(f"{title}\n{'set':10} {'ranking':22}", *(f"{metric:>10}" for metric in METRICS))
    for name in sorted({query.set for query in results}):
        rows = np.array([figures for query, figures in results.items() if query.set == name])
        for place, ranking in enumerate(["present", "weights", "weights and trees", "present and trees"]):
            print(f"{name:10} {ranking:22}", *(f"{figure:10.3f}" for figure in rows[:, place].mean(0)))
        for title, one, other in (("trees − weights", 2, 1), ("trees − present", 3, 0)):
            gains = [interval(rows[:, one, metric] - rows[:, other, metric]) for metric in range(len(METRICS))]
            print(f"{'':10} {title:22}", *(f"{low:+.3f}…{high:+.3f}" for low, high in gains), flush=True)


def write(trees, target):
    """Writes trees for second_look/forest.rs."""
    names = FOREST.read_text(encoding="utf-8").splitlines()[0]
    target.write_text("\n".join([names, *tree_lines(trees)]) + "\n", encoding="utf-8")


def write_folds(queries, folder):
    """Writes trees that were fitted without each family and without each fifth of the conversations."""
    folder.mkdir(parents=True, exist_ok=True)
    for family in sorted({query.family for query in queries}):
        trees = fit_without(queries, lambda query: query.family, family)
        write(trees, folder / f"without-family-{family}.txt")
    for fifth in range(FIFTHS):
        trees = fit_without(queries, lambda query: query.fifth, fifth)
        write(trees, folder / f"without-fifth-{fifth}.txt")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("features", type=Path, nargs="+")
    arguments.add_argument("--write", action="store_true", help="fit on everything and write the trees")
    arguments.add_argument("--folds", type=Path, help="write trees fitted without each family and fifth to a folder")
    arguments.add_argument("--unseen", type=Path, help="write the features with an order by unseen trees")
    arguments.add_argument("--by", choices=["corpus", "family"], help="only this hold-out")
    arguments = arguments.parse_args()
    queries, names = read(arguments.features)
    if arguments.write:
        write(fit_trees(queries, lambda query: query.score), FOREST)
    if arguments.folds:
        write_folds(queries, arguments.folds)
    if arguments.unseen:
        write_unseen(arguments.features, arguments.unseen, queries, names)
    if arguments.write or arguments.folds or arguments.unseen:
        return
    if arguments.by != "family":
        report("each fifth of the conversations held out", measure(queries, names, lambda query: query.fifth))
    if arguments.by != "corpus":
        report("each family held out", measure(queries, names, lambda query: query.family))


if __name__ == "__main__":
    main()
