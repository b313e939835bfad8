"""Fits the trees by which the guard estimates whether a value is a secret, and measures them without the author that is measured.

    anamne-eval guard inputs DIR... > inputs.jsonl
    python3 crates/anamne-eval/fitting/guard_secrets.py inputs.jsonl [--write]

DIR are folders of files without secrets: sources, documentation, settings, chats. The labelled texts are those of the
development half. The first table leaves out one author after another: the trees are fitted without their texts, and find
secrets in them where formats, structures and names find none. `--write` fits on all and writes the trees.

Takes a few minutes. Needs NumPy and LightGBM.
"""

import argparse
import json
from pathlib import Path

import lightgbm
import numpy as np

from trees import tree_lines

TREES = Path(__file__).parents[2] / "anamne-guard" / "data" / "context_trees.txt"

# Log odds from which on a value is a secret; src/secrets/context/mod.rs has the same number.
LEAST = 1.386
COMPARED = [0.0, 0.85, LEAST, 2.2]

ROUNDS = 80
SETTINGS = {
    "objective": "binary",
    "learning_rate": 0.16,
    "num_leaves": 16,
    "min_data_in_leaf": 25,
    "lambda_l2": 5,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "num_threads": 2,
    "deterministic": True,
    "seed": 1,
    "verbose": -1,
}

# How much a value of a file weighs beside one of a labelled text: there are many more of them.
WEIGHT_OF_FILES = 0.3


def overlap(one, other):
    return min(one[1], other[1]) - max(one[0], other[0])


class Texts:
    def __init__(self, file):
        lines = iter(file)
        self.names = json.loads(next(lines))
        self.texts, self.values, self.labels, self.owners = [], [], [], []
        for line in lines:
            text = json.loads(line)
            for start, end, inputs in text.pop("values"):
                parts = [(overlap((start, end), place), place[1] - place[0]) for place in text["expected"]]
                is_secret = any(2 * common >= length for common, length in parts)
                # A part of a secret says nothing.
                if not is_secret and any(common > 0 for common, _ in parts):
                    continue
                self.values.append(inputs)
                self.labels.append(is_secret)
                self.owners.append((len(self.texts), start, end))
            self.texts.append(text)
        self.values = np.array(self.values, dtype=np.float32)
        self.labels = np.array(self.labels)
        self.authors = np.array([-1 if self.texts[text]["author"] is None else self.texts[text]["author"] for text, _, _ in self.owners])

    def fit(self, without=None):
        used = self.authors != without if without is not None else np.ones(len(self.labels), dtype=bool)
        weights = np.where(self.authors[used] < 0, WEIGHT_OF_FILES, 1)
        data = lightgbm.Dataset(self.values[used], self.labels[used], weight=weights, feature_name=self.names)
        return lightgbm.train(SETTINGS, data, ROUNDS)

    def measure(self, author, odds, least):
        """Recall, false alarms per clean text, and findings per MB of text, of the trees and all that needs none."""
        added = {}
        for place in np.flatnonzero((self.authors == author) & (odds >= least)):
            text, start, end = self.owners[place]
            added.setdefault(text, []).append((start, end))
        secret, found, clean, wrong, size = 0, 0, 0, 0, 0
        for number, text in enumerate(self.texts):
            if (-1 if text["author"] is None else text["author"]) != author:
                continue
            spans = text["found"] + added.get(number, [])
            size += text["bytes"]
            if text["expected"]:
                secret += 1
                found += all(any(2 * overlap(span, place) >= place[1] - place[0] for span in spans) for place in text["expected"])
            else:
                clean += 1
                wrong += bool(spans)
        return np.array([secret, found, clean, wrong, size])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", type=argparse.FileType())
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    texts = Texts(options.inputs)
    print(f"{len(texts.labels)} values, {texts.labels.sum()} secret")
    print("author  " + "  ".join(f"recall, alarms at {least:5.2f}" for least in [*COMPARED, np.inf]))
    total = 0
    for author in sorted(set(texts.authors) - {-1, 0}):
        odds = texts.fit(without=author).predict(texts.values, raw_score=True)
        counts = np.array([texts.measure(author, odds, least) for least in [*COMPARED, np.inf]])
        total = total + counts
        print(f"{author:6}  " + "  ".join(f"{found / secret:13.3f} {100 * wrong / clean:6.2f} %" for secret, found, clean, wrong, _ in counts))
    print("   all  " + "  ".join(f"{found / secret:13.3f} {100 * wrong / clean:6.2f} %" for secret, found, clean, wrong, _ in total))
    if options.write:
        lines = [" ".join(texts.names), *tree_lines(texts.fit())]
        TREES.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"wrote {len(lines) - 1} trees to {TREES}")


main()
