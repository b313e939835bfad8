"""Fits the numbers of the confidence, crates/anamne-recall/src/confidence/model.rs, and says how well they do.

    anamne-eval recall --data FOLDER --features features.jsonl
    python3 crates/anamne-eval/fitting/confidence.py features.jsonl [crates/anamne-recall/src/confidence/model.rs]

Needs NumPy and SciPy. Prints the figures of fits that had not seen the conversation (and, below, the whole set)
that they are judged on, then the numbers of the fit on all, and writes them into model.rs where that is given.

The confidence of a result is a product of three logistic functions:

    on_topic   the question has to do with the memory at all   answerable questions against those of other sets
    answered   what the memory says of it is what is asked     answerable questions against unanswerable ones
    bears      this result is evidence, given both             results of all questions, by the product's likelihood

Where one of the searches ranks alone, `plainly` stands for all three.
"""

import json
import re
import sys

import numpy as np
from scipy.optimize import minimize

ON_TOPIC = ["mean", "met", "agreement"]
ANSWERED = ["turned", "spread", "least", "nearness"]
BEARS = [
    "ahead", "behind", "place", "author", "rare_term", "semantic", "thread_words", "window_lexical", "length",
    "pieces", "agreement", "nearness", "told",
]  # fmt: skip
PLAINLY = ["lexical", "semantic"]
FIRST = 10
# The share of questions that have nothing to do with the memory, as the factor `on_topic` assumes.
FOREIGN_SHARE = 0.2
# The share of the others that the memory can't answer, as the factor `answered` assumes.
UNANSWERED_SHARE = 0.2
PENALTY = 0.002


class Question:
    def __init__(self, line):
        results = line["usual"][:FIRST]
        self.set, self.corpus = line["set"], (line["set"], line["corpus"])
        self.foreign = line["category"] == "foreign"
        self.answerable = line["answerable"]
        self.counts = self.answerable and bool(line["evidence"] or line["evidence_threads"])
        self.results = [result["judged_by"] for result in results]
        self.features = [result["features"] for result in results]
        self.relevant = np.array([float(self.answerable and result["relevant"]) for result in results])

    def inputs(self, names):
        return [self.results[0][name] for name in names]


def read(path):
    with open(path, encoding="utf-8") as file:
        questions = [Question(json.loads(line)) for line in file]
    return [question for question in questions if question.results]


def auroc(positive, negative):
    """How often one of the first is above one of the second, ties counting half."""
    if not len(positive) or not len(negative):
        return float("nan")
    one, other = np.array(positive)[:, None], np.array(negative)[None]
    return float((one > other).mean() + 0.5 * (one == other).mean())


def calibration_error(confidence, relevant):
    bins = np.minimum((confidence * 10).astype(int), 9)
    gaps = [abs(confidence[bins == at].sum() - relevant[bins == at].sum()) for at in range(10)]
    return sum(gaps) / len(confidence)


def logistic(logit):
    return 1 / (1 + np.exp(-logit))


def fitted(inputs, truth, weights, factor=1.0):
    """Intercept and coefficients that make factor * logistic most likely, under a small penalty."""
    weights = weights / weights.sum()
    mean = weights @ inputs
    spread = np.sqrt(weights @ (inputs - mean) ** 2)
    spread[spread < 1e-9] = 1
    scaled = np.hstack([np.ones((len(inputs), 1)), (inputs - mean) / spread])

    def loss(numbers):
        part = logistic(scaled @ numbers)
        said = np.clip(factor * part, 1e-9, 1 - 1e-9)
        likelihood = truth * np.log(said) + (1 - truth) * np.log(1 - said)
        slope = weights * (said - truth) / (1 - said) * (1 - part)
        penalty = PENALTY * (numbers[1:] ** 2).sum()
        return penalty - weights @ likelihood, scaled.T @ slope + np.r_[0, 2 * PENALTY * numbers[1:]]

    numbers = minimize(loss, np.zeros(scaled.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 1000}).x
    coefficients = numbers[1:] / spread
    return np.r_[numbers[0] - coefficients @ mean, coefficients]


def applied(numbers, inputs):
    return logistic(numbers[0] + inputs @ numbers[1:])


def share_of_sets(questions, chosen, weight=1.0):
    """A weight for each question, so that the chosen ones of each set weigh the same together."""
    weights = np.zeros(len(questions))
    sets = np.array([question.set for question in questions])
    for name in set(sets):
        of_set = chosen & (sets == name)
        if of_set.any():
            weights[of_set] = weight / of_set.sum()
    return weights


class Model:
    def __init__(self, questions):
        foreign = np.array([question.foreign for question in questions])
        answerable = np.array([question.answerable for question in questions])
        with_both = {question.set for question in questions if not question.answerable and not question.foreign}
        inputs = np.array([question.inputs(ON_TOPIC) for question in questions])
        weights = share_of_sets(questions, answerable, 1 - FOREIGN_SHARE)
        weights += share_of_sets(questions, foreign, FOREIGN_SHARE)
        self.on_topic = fitted(inputs, answerable.astype(float), weights)

        own = np.array([question.set in with_both for question in questions]) & ~foreign
        inputs = np.array([question.inputs(ANSWERED) for question in questions])
        if own.any():
            weights = share_of_sets(questions, own & answerable, 1 - UNANSWERED_SHARE)
            weights += share_of_sets(questions, own & ~answerable, UNANSWERED_SHARE)
            self.answered = fitted(inputs, answerable.astype(float), weights)
        else:
            self.answered = np.r_[9.0, np.zeros(len(ANSWERED))]

        weights = share_of_sets(questions, ~foreign)
        used = [at for at in range(len(questions)) if weights[at]]
        inputs = np.concatenate([self.of_results(questions[at]) for at in used])
        truth = np.concatenate([questions[at].relevant for at in used])
        factor = np.concatenate([np.full(len(questions[at].results), self.answers(questions[at])) for at in used])
        per_result = np.concatenate([np.full(len(questions[at].results), weights[at]) for at in used])
        self.bears = fitted(inputs, truth, per_result, factor)

        inputs = np.array([[of[name] for name in PLAINLY] for at in used for of in questions[at].features])
        self.plainly = fitted(inputs, truth, per_result)

    @staticmethod
    def of_results(question):
        return np.array([[result[name] for name in BEARS] for result in question.results])

    def answers(self, question):
        on_topic = applied(self.on_topic, np.array(question.inputs(ON_TOPIC)))
        return on_topic * applied(self.answered, np.array(question.inputs(ANSWERED)))

    def confidence(self, question):
        return self.answers(question) * applied(self.bears, self.of_results(question))


def held_out(questions, part):
    """Each question's figures from a model fitted without all that shares its `part`."""
    figures = {}
    for name in sorted({part(question) for question in questions}):
        model = Model([question for question in questions if part(question) != name])
        for at, question in enumerate(questions):
            if part(question) == name:
                figures[at] = (model.answers(question), model.confidence(question))
    return figures


def report(title, questions, figures):
    print(f"\n{title}")
    for name in sorted({question.set for question in questions}):
        of_set = [(question, *figures[at]) for at, question in enumerate(questions) if question.set == name]
        said = np.concatenate([confidence for question, _, confidence in of_set if question.counts])
        relevant = np.concatenate([question.relevant for question, _, _ in of_set if question.counts])
        every = [(question, confidence) for question, _, confidence in of_set if not question.foreign]
        over_all = calibration_error(
            np.concatenate([confidence for _, confidence in every]),
            np.concatenate([question.relevant for question, _ in every]),
        )

        def apart(figure):
            kinds = {"answerable": [], "unanswerable": [], "foreign": []}
            for question, answers, confidence in of_set:
                kind = "answerable" if question.answerable else "foreign" if question.foreign else "unanswerable"
                kinds[kind].append(figure(answers, confidence))
            return kinds

        whole, first = apart(lambda answers, _: answers), apart(lambda _, confidence: confidence[0])
        print(
            f"  {name:8} ECE {calibration_error(said, relevant):.3f} (with unanswerable {over_all:.3f})"
            f"  results AUROC {auroc(said[relevant > 0], said[relevant == 0]):.3f}"
            f"  abstention: question {auroc(whole['answerable'], whole['unanswerable']):.3f}"
            f" first result {auroc(first['answerable'], first['unanswerable']):.3f}"
            f"  foreign: question {auroc(whole['answerable'], whole['foreign']):.3f}"
            f" first result {auroc(first['answerable'], first['foreign']):.3f}"
            f" p95 {np.quantile(first['foreign'] or [np.nan], 0.95):.2f}"
        )


def written(source, name, inputs, numbers):
    """The Rust source with the numbers of one logistic function in the place of those that are there."""
    start = re.search(rf"^    {name} (\S+) {{$", source, re.MULTILINE)
    end = source.index("\n    }", start.end())
    body = source[start.end() : end]
    for input_name, number in zip(inputs, numbers[1:]):
        body, found = re.subn(rf"^(        {input_name}) \S+,$", rf"\1 {number:.4f},", body, flags=re.MULTILINE)
        if found != 1:
            raise SystemExit(f"{name} has no input {input_name}")
    return source[: start.start()] + f"    {name} {numbers[0]:.4f} {{" + body + source[end:]


def main():
    questions = read(sys.argv[1])
    report("without the conversation", questions, held_out(questions, lambda question: question.corpus))
    report("without the whole set", questions, held_out(questions, lambda question: question.set))
    model = Model(questions)
    report("fitted on all", questions, {at: (model.answers(question), model.confidence(question)) for at, question in enumerate(questions)})
    fits = [
        ("OnTopic", ON_TOPIC, model.on_topic),
        ("Answered", ANSWERED, model.answered),
        ("Bears", BEARS, model.bears),
        ("Plainly", PLAINLY, model.plainly),
    ]
    for name, inputs, numbers in fits:
        print(f"\n{name} {numbers[0]:.4f}")
        for input_name, number in zip(inputs, numbers[1:]):
            print(f"    {input_name} {number:.4f}")
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as file:
            source = file.read()
        for fit in fits:
            source = written(source, *fit)
        with open(sys.argv[2], "w", encoding="utf-8") as file:
            file.write(source)


if __name__ == "__main__":
    main()
