"""Fits the weights of ranking on conversations with known evidence.

    anamne-eval recall --data DATA --features features.jsonl
    python3 crates/anamne-eval/fitting/ranking.py features.jsonl

Prints recall@10 with the weights of model.rs and with fitted ones, the fitted weights, recall@10 with each conversation
and each set held out, and recall@10 without each feature. All sets have the same weight.
The feature `thread_feedback` depends on the scores without it, so after large changes of the weights, measure and fit
again. Takes a few minutes. Needs NumPy and SciPy.
"""

import argparse
import json
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

MODEL = Path(__file__).parents[2] / "anamne-recall" / "src" / "model.rs"

# Not fitted: the conversations have no importance, trust or superseded memories.
KEPT = {"rare_term", "recency", "importance", "distrust", "superseded"}

# The cut-off of recall@10.
FIRST = 10

# The score difference to the last counted rank at which evidence counts as missed.
SMOOTHNESS = 0.4

# Regularisation towards the weights of model.rs: the loss has many local minima, and the nearest one is wanted.
PULL = 0.003


class Query:
    """The results of one query; ranked are records, or threads by their best record."""

    def __init__(self, line, names):
        self.set, self.conversation = line["set"], (line["set"], line["corpus"])
        self.category = line["category"]
        evidence = line["evidence"] or line["evidence_threads"]
        unit = "id" if line["evidence"] else "thread"
        self.wanted = len(evidence)
        units = {}
        for result in line["results"]:
            units.setdefault(result[unit], len(units))
        self.units = np.array([units[result[unit]] for result in line["results"]], dtype=int)
        self.relevant = np.zeros(len(units), dtype=bool)
        self.relevant[[units[name] for name in evidence if name in units]] = True
        self.features = np.array(
            [[result["features"][name] for name in names] for result in line["results"]]
        )

    def best(self, weights):
        """The score of each unit, and its best result."""
        scores = self.features @ weights
        order = np.lexsort((-scores, self.units))
        best_results = order[np.unique(self.units[order], return_index=True)[1]]
        return scores[best_results], best_results

    def recall(self, weights):
        """The share of the evidence among the first results."""
        scores, _ = self.best(weights)
        first = np.argsort(-scores, kind="stable")[:FIRST]
        return self.relevant[first].sum() / self.wanted

    def loss(self, weights):
        """A smooth share of the evidence behind the last counted rank, and its gradient."""
        scores, best_results = self.best(weights)
        wanted, others = np.flatnonzero(self.relevant), np.flatnonzero(~self.relevant)
        if len(wanted) == 0 or len(others) == 0:
            return 0.0, np.zeros_like(weights)
        cutoff = others[np.argsort(-scores[others])][: FIRST][-1]
        behind = np.clip((scores[cutoff] - scores[wanted]) / SMOOTHNESS, -50, 50)
        missed = 1 / (1 + np.exp(-behind))
        slope = missed * (1 - missed) / SMOOTHNESS
        gradient = slope.sum() * self.features[best_results[cutoff]] - slope @ self.features[best_results[wanted]]
        return missed.sum() / self.wanted, gradient / self.wanted


def read(path):
    """The answerable queries, and the names of their features."""
    queries, names = [], None
    with open(path, encoding="utf-8") as lines:
        for text in lines:
            line = json.loads(text)
            if not line["answerable"] or not (line["evidence"] or line["evidence_threads"]) or not line["results"]:
                continue
            names = names or list(line["results"][0]["features"])
            queries.append(Query(line, names))
    return queries, names


def present_weights(names):
    """The present weights of model.rs."""
    text = MODEL.read_text(encoding="utf-8")
    table = text[text.index("\nfeatures! {") :]
    weights = dict(re.findall(r"^    (\w+) (-?[\d.]+),$", table, re.MULTILINE))
    return np.array([float(weights[name]) for name in names])


def fit(queries, start, free):
    """Weights that minimise the loss, with every set weighing the same."""
    sizes = defaultdict(int)
    for query in queries:
        sizes[query.set] += 1

    def objective(values):
        weights = start.copy()
        weights[free] = values
        value = PULL * ((weights - start) ** 2).sum()
        gradient = 2 * PULL * (weights - start)
        for query in queries:
            loss, slope = query.loss(weights)
            value += loss / sizes[query.set]
            gradient += slope / sizes[query.set]
        return value, gradient[free]

    found = minimize(objective, start[free], jac=True, method="L-BFGS-B", options={"maxiter": 60})
    weights = start.copy()
    weights[free] = found.x
    return weights


def report(title, recalls):
    """One line: recall@10 of each set."""
    by_set = defaultdict(list)
    for name, recall in recalls:
        by_set[name].append(recall)
    print(f"{title:28}", *(f"{name} {np.mean(values):.4f}" for name, values in sorted(by_set.items())), flush=True)


def held_out(queries, start, free, group):
    """Recall of each query with weights fitted without its group."""
    for name in sorted({group(query) for query in queries}):
        weights = fit([query for query in queries if group(query) != name], start, free)
        yield from ((query.set, query.recall(weights)) for query in queries if group(query) == name)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("features", type=Path)
    arguments.add_argument("--quick", action="store_true", help="skip hold-outs")
    arguments = arguments.parse_args()
    queries, names = read(arguments.features)
    start = present_weights(names)
    free = np.array([name not in KEPT for name in names])
    report("present weights", ((query.set, query.recall(start)) for query in queries))
    weights = fit(queries, start, free)
    report("fitted", ((query.set, query.recall(weights)) for query in queries))
    print({name: round(float(weight), 2) for name, weight in zip(names, weights)})
    if arguments.quick:
        return
    report("each conversation held out", held_out(queries, start, free, lambda query: query.conversation))
    report("each set held out", held_out(queries, start, free, lambda query: query.set))
    for place in np.flatnonzero(free):
        without = start.copy()
        without[place] = 0
        report(f"without {names[place]}", ((query.set, query.recall(without)) for query in queries))


if __name__ == "__main__":
    main()
