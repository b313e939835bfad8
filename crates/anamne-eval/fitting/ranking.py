"""Fits the weights of ranking on conversations with known evidence.

    anamne-eval recall --data DATA --features features.jsonl
    python3 crates/anamne-eval/fitting/ranking.py features.jsonl

Prints recall@10 with the weights of model.rs and with fitted ones, the fitted weights, recall@10 of each conversation
and of each set by weights that were fitted without it, and recall@10 without each feature. The sets count the same.
The feature `thread_feedback` rests on the scores without it, so after the weights have changed much, measure and fit once more.
Takes some minutes. Needs numpy and scipy.
"""

import argparse
import json
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

MODEL = Path(__file__).parents[2] / "anamne-recall" / "src" / "model.rs"

# Conversations without importance, trust, or memories that replace others say nothing about these.
KEPT = {"rare_term", "recency", "importance", "distrust", "superseded"}

# Results that a person looks at.
FIRST = 10

# So far behind the last place that counts a score is as good as missed.
SMOOTHNESS = 0.4

# Pulls weights towards those of model.rs: the loss has many hollows, and the one nearby is wanted.
PULL = 0.003


class Question:
    """The results of one question; what is ranked are records, or threads by their best record."""

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
        """The score of each unit, and the result that gives it."""
        scores = self.features @ weights
        order = np.lexsort((-scores, self.units))
        heads = order[np.unique(self.units[order], return_index=True)[1]]
        return scores[heads], heads

    def recall(self, weights):
        """The share of the evidence among the first."""
        scores, _ = self.best(weights)
        first = np.argsort(-scores, kind="stable")[:FIRST]
        return self.relevant[first].sum() / self.wanted

    def loss(self, weights):
        """How much of the evidence stays behind the last place that counts, smoothly, and the gradient."""
        scores, heads = self.best(weights)
        wanted, others = np.flatnonzero(self.relevant), np.flatnonzero(~self.relevant)
        if len(wanted) == 0 or len(others) == 0:
            return 0.0, np.zeros_like(weights)
        bar = others[np.argsort(-scores[others])][: FIRST][-1]
        behind = np.clip((scores[bar] - scores[wanted]) / SMOOTHNESS, -50, 50)
        missed = 1 / (1 + np.exp(-behind))
        slope = missed * (1 - missed) / SMOOTHNESS
        gradient = slope.sum() * self.features[heads[bar]] - slope @ self.features[heads[wanted]]
        return missed.sum() / self.wanted, gradient / self.wanted


def read(path):
    """The questions that can be answered, and the names of their features."""
    questions, names = [], None
    with open(path, encoding="utf-8") as lines:
        for text in lines:
            line = json.loads(text)
            if not line["answerable"] or not (line["evidence"] or line["evidence_threads"]) or not line["results"]:
                continue
            names = names or list(line["results"][0]["features"])
            questions.append(Question(line, names))
    return questions, names


def present_weights(names):
    """The weights that model.rs has now."""
    text = MODEL.read_text(encoding="utf-8")
    table = text[text.index("\nfeatures! {") :]
    weights = dict(re.findall(r"^    (\w+) (-?[\d.]+),$", table, re.MULTILINE))
    return np.array([float(weights[name]) for name in names])


def fit(questions, start, free):
    """Weights that bring the evidence forward, every set counting the same."""
    sizes = defaultdict(int)
    for question in questions:
        sizes[question.set] += 1

    def objective(values):
        weights = start.copy()
        weights[free] = values
        value = PULL * ((weights - start) ** 2).sum()
        gradient = 2 * PULL * (weights - start)
        for question in questions:
            loss, slope = question.loss(weights)
            value += loss / sizes[question.set]
            gradient += slope / sizes[question.set]
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


def left_out(questions, start, free, group):
    """Recall of each question by weights that were fitted without its group."""
    for name in sorted({group(question) for question in questions}):
        weights = fit([question for question in questions if group(question) != name], start, free)
        yield from ((question.set, question.recall(weights)) for question in questions if group(question) == name)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("features", type=Path)
    arguments.add_argument("--quick", action="store_true", help="leave nothing out")
    arguments = arguments.parse_args()
    questions, names = read(arguments.features)
    start = present_weights(names)
    free = np.array([name not in KEPT for name in names])
    report("as it is", ((question.set, question.recall(start)) for question in questions))
    weights = fit(questions, start, free)
    report("fitted", ((question.set, question.recall(weights)) for question in questions))
    print({name: round(float(weight), 2) for name, weight in zip(names, weights)})
    if arguments.quick:
        return
    report("each conversation left out", left_out(questions, start, free, lambda question: question.conversation))
    report("each set left out", left_out(questions, start, free, lambda question: question.set))
    for place in np.flatnonzero(free):
        without = start.copy()
        without[place] = 0
        report(f"without {names[place]}", ((question.set, question.recall(without)) for question in questions))


if __name__ == "__main__":
    main()
