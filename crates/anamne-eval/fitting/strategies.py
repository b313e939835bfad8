"""Fits the constants of the learner of search strategies (crates/anamne-experience/src/strategies/learner.rs).

Usage: anamne-eval strategies --data DIR --record recorded.jsonl
       strategies.py recorded.jsonl [--orders N]

A learner starts with nothing learned: no strategy has a share of success before the first search, only these constants are fitted.
Chosen on every other conversation (as `anamne-eval strategies` learns from them): a stream of questions of one half of those, applied
to the other half, and the reverse. Each constant is changed alone, from the values in use. The rest of the conversations is only
measured: with the constants in use, and with the best ones found.

What is best: the mean number of searches until evidence is shown, five if it never is, as success and cost in one figure.
"""
import argparse
import json
import random
import re
from pathlib import Path

import numpy

SOURCE = Path(__file__).parents[2] / "anamne-experience/src/strategies/learner.rs"
GRID = {
    "COMMON_STRENGTH": [0.3, 1.0, 3.0, 10.0],
    "OWN_STRENGTH": [3.0, 10.0, 30.0],
    "CURIOUS": [0.25, 0.5, 1.0],
    "BETTER": [0.0, 0.1, 0.3],
    "WORTHWHILE": [0.05, 0.1, 0.2],
}
EXPLORATION = 0.05
SHOWN, MOST_SEARCHES = 5, 4
OTHER_THREADS = 4


def constants_in_use():
    source = SOURCE.read_text()
    return {name: float(re.search(rf"const {name}: f64 = ([0-9.]+);", source).group(1)) for name in GRID}


def inputs(features, tried):
    """As `inputs` in crates/anamne-experience/src/strategies/inputs.rs."""
    (shape, words, sentences, names, _, searched, answered, confidence, spread, agreement, threads, programs, long, times) = features
    logarithm = lambda count: float(numpy.log1p(max(count, 0.0)))
    return numpy.array([
        1.0, *(float(abs(shape - kind) < 0.5) for kind in (0, 1, 2, 4, 6)), logarithm(words) / 4, float(sentences > 1),
        min(max(names, 0.0), 3.0) / 3, float(searched > 0.5), answered, confidence, spread, agreement, threads / 5, programs,
        logarithm(long) / 6, times, float(tried == 1), float(tried == 2), float(tried >= 3)])


class Question:
    def __init__(self, line):
        self.set, self.corpus, self.counts = line["set"], line["corpus"], line["counts"]
        self.inputs = [inputs(line["after"] if tried else line["before"], tried) for tried in range(MOST_SEARCHES)]
        self.found = [[(one["record"], one["thread"], one["evidence"]) for one in search["found"]] for search in line["searches"]]

    def play(self, choose):
        """The strategies tried, each with whether it showed evidence. Nothing is shown twice."""
        records, threads, played = set(), set(), []
        while len(played) < MOST_SEARCHES:
            number = choose(self.inputs[len(played)], len(played))
            if number is None:
                break
            page = [one for one in self.found[number] if one[0] not in records]
            if number == OTHER_THREADS:
                known, others, same = set(threads), [], []
                for one in page:
                    (same if one[1] in known else others).append(one)
                    known.add(one[1])
                page = others + same
            page = page[:SHOWN]
            hit = any(one[2] for one in page)
            played.append((number, hit))
            if hit:
                break
            records.update(one[0] for one in page)
            threads.update(one[1] for one in page)
        return played


class Learned:
    def __init__(self, constants, strategies, width):
        self.constants = constants
        self.products = numpy.zeros((strategies, width, width))
        self.gains = numpy.zeros((strategies, width))
        self.fits = None

    def add(self, number, situation, success):
        self.products[number] += numpy.outer(situation, situation)
        self.gains[number] += success * situation
        self.fits = None

    def fit(self):
        unit = numpy.eye(self.gains.shape[1])
        common_strength, own = self.constants["COMMON_STRENGTH"], self.constants["OWN_STRENGTH"]
        common = numpy.linalg.solve(self.products.sum(0) + common_strength * unit, self.gains.sum(0))
        inverse = numpy.linalg.inv(self.products + own * unit)
        self.fits = numpy.einsum("sij,sj->si", inverse, self.gains + own * common), inverse
        sums, successes = self.products[:, 0], self.gains[:, 0]
        forgone = numpy.maximum(sums[1:] @ self.fits[0][0], 0).sum()
        self.credit = successes.sum() - (1 - EXPLORATION) * (forgone + successes[0])

    def choose(self, situation, tried, explores):
        if self.fits is None:
            self.fit()
        weights, inverse = self.fits
        expected = numpy.clip(weights @ situation, 0, 1)
        width = numpy.sqrt(numpy.maximum(numpy.einsum("i,sij,j->s", situation, inverse, situation), 0))
        best, curious = int(expected.argmax()), self.constants["CURIOUS"]
        optimistic = int((expected + curious * width).argmax())
        if tried and expected[best] < self.constants["WORTHWHILE"] * (0.5 if explores else 1.0):
            return None
        least = max(expected[optimistic] - curious * width[optimistic], 0)
        if explores and self.credit + least >= (1 - EXPLORATION) * expected[0]:
            return optimistic
        is_better = expected[best] - self.constants["BETTER"] * (width[best] + width[0]) > expected[0]
        return best if is_better else 0


def learn(questions, constants, seed):
    order = list(questions)
    random.Random(seed).shuffle(order)
    learned = Learned(constants, len(order[0].found), len(order[0].inputs[0]))
    for question in order:
        played = question.play(lambda situation, tried: learned.choose(situation, tried, True))
        for tried, (number, hit) in enumerate(played):
            learned.add(number, question.inputs[tried], float(hit))
    return learned


def figures(learn_from, measured, constants, orders):
    """Success, searches, and searches until success, over all orders."""
    rows = []
    for seed in range(orders):
        learned = learn(learn_from, constants, seed)
        for question in measured:
            played = question.play(lambda situation, tried: learned.choose(situation, tried, False))
            rows.append((played[-1][1], len(played), len(played) if played[-1][1] else MOST_SEARCHES + 1))
    return numpy.array(rows, float).mean(0)


def halves(questions):
    """Every other conversation of a set, in the order of their names, and the rest."""
    names = {}
    for question in questions:
        names.setdefault(question.set, set()).add(question.corpus)
    number = {(of, name): place for of, all_of in names.items() for place, name in enumerate(sorted(all_of))}
    parts = [], []
    for question in questions:
        if question.counts:
            parts[number[question.set, question.corpus] % 2].append(question)
    return parts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("recorded")
    parser.add_argument("--orders", type=int, default=5)
    arguments = parser.parse_args()
    questions = [Question(json.loads(line)) for line in open(arguments.recorded)]
    chosen_on, measured = halves(questions)
    folds = halves(chosen_on)

    def across(constants):
        one, other = folds
        return (figures(one, other, constants, arguments.orders) * len(other)
                + figures(other, one, constants, arguments.orders) * len(one)) / len(chosen_on)

    def shown(found):
        return "success {:.3f}, searches {:.2f}, until success {:.3f}".format(*found)

    in_use = constants_in_use()
    best = dict(in_use)
    print("in use, half chosen on:", shown(across(in_use)), flush=True)
    for name, values in GRID.items():
        until = {}
        for value in values:
            found = across({**in_use, name: value})
            until[value] = found[2]
            print(f"  {name} {value:g}{' (in use)' if value == in_use[name] else ''}: {shown(found)}", flush=True)
        best[name] = min(until, key=until.get)
    print("best ones:", best)
    for title, constants in (("in use", in_use), ("best ones", best)):
        print(f"{title}, other half: {shown(figures(chosen_on, measured, constants, arguments.orders))}", flush=True)


if __name__ == "__main__":
    main()
