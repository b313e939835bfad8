"""Fits the gate of prompts, `PromptInputs` in crates/anamne-recall/src/confidence/model.rs, and evaluates it.

    anamne-eval prompts --data FOLDER --features prompts.jsonl
    python3 crates/anamne-eval/fitting/prompts.py prompts.jsonl [crates/anamne-recall/src/confidence/model.rs]

Only the sets in FITTED_ON are fitted on; others are measured as they are. Needs NumPy. Prints evidence and noise with each conversation, then each family of sets, held out, at the threshold that
the other families allow; then the parameters fitted on all data, which it writes into model.rs if given. Half of the own
prompts are held out as well, by a checksum of their text.

Positives are answerable questions whose block holds evidence, negatives the prompts that memory knows nothing of. Each
family counts the same, in it positives as much as negatives, and among these questions about other conversations as
much as own prompts.
"""

import json
import re
import sys
import zlib

import numpy as np

# The own corpora are left to measure on.
FITTED_ON = {"beam", "beam500", "locomo", "realmem"}
ALLOWED = 0.05
FOLDS = 5
PENALTY = 2.0
OUTSIDE = -99.0
# The total weight of all prompts, against which PENALTY counts.
TOTAL = 3000.0


def family(name):
    return name.rstrip("0123456789")


class Data:
    def __init__(self, path, sets):
        with open(path, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        lines = [line for line in lines if line["kind"] != "unanswerable" and sets(line["set"])]
        self.names = list(next(line["inputs"] for line in lines if line["inputs"]))
        of_line = lambda line: [line["inputs"].get(name, 0.0) for name in self.names]
        self.inputs = np.array([of_line(line) for line in lines])
        self.judged = np.array([bool(line["inputs"]) and line["relevance"] > 0 for line in lines])
        self.sets = np.array([line["set"] for line in lines])
        self.families = np.array([family(line["set"]) for line in lines])
        set_of = {line["corpus"]: family(line["set"]) for line in lines}
        self.about = np.array([set_of.get(line["from"], "own") for line in lines])
        self.corpora = np.array([line["corpus"] for line in lines])
        self.answerable = np.array([line["kind"] == "answerable" for line in lines])
        self.evidence = np.array([line["evidence"] for line in lines])
        self.own = np.array([line["from"] == "own" for line in lines])
        self.half = np.array([zlib.crc32(line["text"].encode()) % 2 for line in lines])
        self.kinds = np.array([line["kind"] for line in lines])

    def groups(self, mask):
        """The groups that weigh the same within a family, with their weight."""
        for name in sorted(set(self.families)):
            of_family = mask & (self.families == name)
            yield of_family & self.answerable, 1.0
            yield of_family & ~self.answerable & self.own, 0.5
            yield of_family & ~self.answerable & ~self.own, 0.5

    def weights(self, mask):
        weights = np.zeros(len(mask))
        for group, weight in self.groups(mask):
            if group.any():
                weights[group] = weight / group.sum()
        return weights / weights.sum()


def fitted(data, mask):
    """Maximum-likelihood intercept and coefficients with an L2 penalty on standardised inputs, by Newton's method."""
    mask = mask & data.judged & (~data.answerable | data.evidence)
    weights = data.weights(mask)[mask] * TOTAL
    truth = data.answerable[mask].astype(float)
    mean, spread = data.inputs[mask].mean(0), data.inputs[mask].std(0) + 1e-9
    scaled = np.hstack([np.ones((mask.sum(), 1)), (data.inputs[mask] - mean) / spread])
    penalty = PENALTY * np.eye(scaled.shape[1])
    penalty[0, 0] = 0
    parameters = np.zeros(scaled.shape[1])
    for _ in range(20):
        predicted = 1 / (1 + np.exp(-np.clip(scaled @ parameters, -30, 30)))
        slope = scaled.T @ (weights * (truth - predicted)) - penalty @ parameters
        curvature = (scaled * (weights * np.maximum(predicted * (1 - predicted), 1e-6))[:, None]).T @ scaled + penalty
        parameters = parameters + np.linalg.solve(curvature, slope)
    coefficients = parameters[1:] / spread
    return np.r_[parameters[0] - coefficients @ mean, coefficients]


def logits(data, parameters):
    return np.where(data.judged, parameters[0] + data.inputs @ parameters[1:], OUTSIDE)


def threshold(data, scores, mask):
    """The lowest score at which at most ALLOWED of what memory knows nothing of is above."""
    mask = mask & ~data.answerable
    weights = data.weights(mask)
    order = np.argsort(-np.where(mask, scores, -np.inf))
    above = np.cumsum(weights[order])
    return scores[order][np.searchsorted(above, ALLOWED)]


def without_conversation(data):
    scores = np.zeros(len(data.half))
    fold = {name: at % FOLDS for at, name in enumerate(sorted(set(data.corpora)))}
    folds = np.array([fold[name] for name in data.corpora])
    for at in range(FOLDS):
        for half in (0, 1):
            out = logits(data, fitted(data, (folds != at) & (~data.own | (data.half == half))))
            measured = (folds == at) & (~data.own | (data.half != half))
            scores[measured] = out[measured]
    names = sorted(set(data.families))
    return {name: (scores, threshold(data, scores, data.families != name)) for name in names}


def without_family(data):
    found = {}
    for name in sorted(set(data.families)):
        others = (data.families != name) & (data.about != name)
        scores = np.zeros(len(data.half))
        for half in (0, 1):
            out = logits(data, fitted(data, others & (~data.own | (data.half == half))))
            measured = ~data.own | (data.half != half)
            scores[measured] = out[measured]
        found[name] = (scores, threshold(data, scores, others))
    return found


def report(title, data, found):
    print(f"\n{title}")
    for name in sorted(set(data.sets)):
        scores, least = found[family(name)]
        of_set, above = data.sets == name, scores > least
        share = lambda mask: float(above[of_set & mask].mean()) if (of_set & mask).any() else float("nan")
        evidence = float((above & data.evidence)[of_set & data.answerable].mean())
        most = float(data.evidence[of_set & data.answerable].mean())
        noise = (share(~data.answerable & data.own) + share(~data.answerable & ~data.own)) / 2
        kinds = sorted(set(data.kinds) - {"answerable"})
        print(
            f"  {name:8} evidence {evidence:.3f} (of {most:.3f})  noise {noise:.3f} "
            + " ".join(f" {kind} {share(data.kinds == kind):.3f}" for kind in kinds)
        )


def with_parameters(source, names, parameters):
    """The Rust source with the parameters of `PromptInputs` replaced."""
    start = re.search(r"^    PromptInputs (\S+) \{$", source, re.MULTILINE)
    end = source.index("\n    }", start.end())
    body = source[start.end() : end]
    for name, number in zip(names, parameters[1:]):
        body, found = re.subn(rf"^(        {name}) \S+,$", rf"\1 {number:.4f},", body, flags=re.MULTILINE)
        if found != 1:
            raise SystemExit(f"PromptInputs has no input {name}")
    return source[: start.start()] + f"    PromptInputs {parameters[0]:.4f} {{" + body + source[end:]


def main():
    data = Data(sys.argv[1], lambda name: name in FITTED_ON)
    others = Data(sys.argv[1], lambda name: name not in FITTED_ON)
    report("without the conversation", data, without_conversation(data))
    report("without the whole family", data, without_family(data))
    parameters = fitted(data, np.ones(len(data.half), dtype=bool))
    scores = logits(data, parameters)
    least = threshold(data, scores, np.ones(len(data.half), dtype=bool))
    report("fitted on all", data, {name: (scores, least) for name in set(data.families)})
    if len(others.sets):
        unseen = logits(others, parameters)
        report("on sets that it was not fitted on", others, {name: (unseen, least) for name in set(others.families)})
    print(f"\nthreshold {1 / (1 + np.exp(-least)):.3f}\nPromptInputs {parameters[0]:.4f}")
    for name, number in zip(data.names, parameters[1:]):
        print(f"    {name} {number:.4f}")
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as file:
            source = file.read()
        with open(sys.argv[2], "w", encoding="utf-8") as file:
            file.write(with_parameters(source, data.names, parameters))


if __name__ == "__main__":
    main()
