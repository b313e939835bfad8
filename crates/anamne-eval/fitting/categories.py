"""Fits the classifier of categories, crates/anamne-knowledge/data/categories.txt, and evaluates it by field.

    folder=crates/anamne-knowledge/annotations/enrichment
    anamne-eval knowledge enrichment --inputs inputs.jsonl $folder/{texts-development,fields-development,fields-conversations}.jsonl
    python3 crates/anamne-eval/fitting/categories.py inputs.jsonl [crates/anamne-knowledge/data/categories.txt]

Needs NumPy. Prints the accuracy with each ninth of the fields left out in turn; then fits on all and writes the file, if given.
Multinomial logistic regression with a ridge penalty. Named inputs count if they occur in three texts of three fields.
"""

import json
import sys
from collections import defaultdict

import numpy as np

CLASSES = ["none", "architecture_decision", "code_pattern", "bug_fix", "configuration", "constraint", "entity", "insight", "reference", "preference"]
PENALTY = 0.02
LEAST = 3
FOLDS = 9
STEPS = 200
RATE = 0.08


def read(path):
    with open(path, encoding="utf-8") as file:
        texts = [json.loads(line) for line in file]
    for number, text in enumerate(texts):
        # The texts of a file without fields are of many.
        text["group"] = text["field"] or f"{text['file']} {number % 8}"
    return texts


def vocabulary(texts):
    groups = defaultdict(list)
    for text in texts:
        for name in text["named"]:
            groups[name].append(text["group"])
    return sorted(name for name, found in groups.items() if len(set(found)) >= LEAST)


def matrix(texts, names):
    place = {name: number for number, name in enumerate(names)}
    rows = np.zeros((len(texts), len(names) + len(texts[0]["vectors"])), dtype=np.float32)
    for row, text in zip(rows, texts):
        for name, value in text["named"].items():
            if name in place:
                row[place[name]] = value
        row[len(names):] = text["vectors"]
    return rows


def fit(rows, texts):
    wanted = np.zeros((len(texts), len(CLASSES)), dtype=np.float32)
    for row, text in zip(wanted, texts):
        for name in text["right"]:
            row[CLASSES.index(name)] = 1 / len(text["right"])
    # The last row is the base; it isn't penalised.
    rows = np.hstack([rows, np.ones((len(rows), 1), dtype=np.float32)])
    weights = np.zeros((rows.shape[1], len(CLASSES)), dtype=np.float32)
    penalty = np.full((rows.shape[1], 1), PENALTY, dtype=np.float32)
    penalty[-1] = 0
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        scores = rows @ weights
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        scores /= scores.sum(axis=1, keepdims=True)
        gradient = rows.T @ (scores - wanted) / len(rows) + penalty * weights
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        weights -= RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return weights


def evaluate(texts):
    groups = sorted({text["group"] for text in texts})
    np.random.RandomState(1).shuffle(groups)
    right = defaultdict(list)
    for fold in range(FOLDS):
        left_out = set(groups[fold::FOLDS])
        known = [text for text in texts if text["group"] not in left_out]
        asked = [text for text in texts if text["group"] in left_out]
        names = vocabulary(known)
        weights = fit(matrix(known, names), known)
        for text, scores in zip(asked, matrix(asked, names) @ weights[:-1] + weights[-1]):
            right[text["file"]].append(CLASSES[scores.argmax()] in text["right"])
    for file, found in right.items():
        print(f"{file}: {np.mean(found):.3f} of {len(found)}, by field")


def written(row):
    return " ".join(str(round(float(weight) * 1000)) for weight in row)


def write(path, texts):
    names = vocabulary(texts)
    weights = fit(matrix(texts, names), texts)
    lines = ["# Weights of the classifier of categories, in thousandths, by class in this order. `fitting/categories.py` writes this file.", "[classes]", " ".join(CLASSES)]
    lines += ["[base]", written(weights[-1]), "[named]"]
    lines += [f"{name} | {written(row)}" for name, row in zip(names, weights)]
    lines += ["[vectors]"] + [written(row) for row in weights[len(names):-1]]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    data = read(sys.argv[1])
    evaluate(data)
    if len(sys.argv) > 2:
        write(sys.argv[2], data)
