"""Fits the parameters of the confidence model, crates/anamne-recall/src/confidence/model.rs, and evaluates them.

    anamne-eval recall --data FOLDER --features features.jsonl
    python3 crates/anamne-eval/fitting/second_look.py features.jsonl --unseen unseen.jsonl
    python3 crates/anamne-eval/fitting/confidence.py unseen.jsonl [crates/anamne-recall/src/confidence/model.rs]

With `--relevance` only the third and the last factor are fitted, given the first two of model.rs. Needs NumPy and SciPy. Prints the metrics with each conversation (then each family of data sets) held out, then the parameters
fitted on all data, and writes them into model.rs if given.

The confidence of a result is a product of three logistic functions:

    on_topic   the query is related to the store        answerable queries against unanswerable ones and those of other
    answered   the related memories answer it           sets, both by the likelihood of their product
    relevance  this result is evidence, given both      results of all queries, by the product's likelihood; those of
                                                        other sets' queries are no evidence

If only one search ranks, `search_only` replaces all three.
"""

import json
import re
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

MODEL = Path(__file__).parents[2] / "anamne-recall" / "src" / "confidence" / "model.rs"

ON_TOPIC = ["mean", "met", "agreement"]
ANSWERED = ["turned", "spread", "least", "nearness"]
RELEVANCE = [
    "ahead", "behind", "place", "second_look", "author", "rare_term", "semantic", "thread_words", "window_lexical",
    "length", "pieces", "agreement", "nearness", "named_statements",
]  # fmt: skip
SEARCH_ONLY = ["lexical", "semantic"]
FIRST = 10
# The share of unrelated queries that all factors assume, and that of unanswerable ones that the first two assume.
FOREIGN_SHARE = 0.15
UNANSWERED_SHARE = 0.25
PENALTY = 0.002


class Query:
    def __init__(self, line):
        results = line["usual"][:FIRST]
        self.set, self.corpus = line["set"], (line["set"], line["corpus"])
        # beam and beam500 are one family.
        self.family = line["set"].removesuffix("500")
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
        queries = [Query(json.loads(line)) for line in file]
    return [query for query in queries if query.results]


def auroc(positive, negative):
    """The probability that a positive is above a negative; ties count half."""
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
    """Maximum-likelihood intercept and coefficients of factor * logistic, with a small L2 penalty."""
    weights = weights / weights.sum()
    mean = weights @ inputs
    spread = np.sqrt(weights @ (inputs - mean) ** 2)
    spread[spread < 1e-9] = 1
    scaled = np.hstack([np.ones((len(inputs), 1)), (inputs - mean) / spread])

    def loss(parameters):
        part = logistic(scaled @ parameters)
        predicted = np.clip(factor * part, 1e-9, 1 - 1e-9)
        likelihood = truth * np.log(predicted) + (1 - truth) * np.log(1 - predicted)
        slope = weights * (predicted - truth) / (1 - predicted) * (1 - part)
        penalty = PENALTY * (parameters[1:] ** 2).sum()
        return penalty - weights @ likelihood, scaled.T @ slope + np.r_[0, 2 * PENALTY * parameters[1:]]

    parameters = minimize(loss, np.zeros(scaled.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 1000}).x
    coefficients = parameters[1:] / spread
    return np.r_[parameters[0] - coefficients @ mean, coefficients]


def fitted_product(first, second, truth, weights):
    """Maximum-likelihood parameters of two logistic functions whose product is the probability, with a small L2 penalty."""
    weights = weights / weights.sum()
    scaled, means, spreads = [], [], []
    for inputs in (first, second):
        mean = weights @ inputs
        spread = np.sqrt(weights @ (inputs - mean) ** 2)
        spread[spread < 1e-9] = 1
        scaled.append(np.hstack([np.ones((len(inputs), 1)), (inputs - mean) / spread]))
        means.append(mean)
        spreads.append(spread)
    count = scaled[0].shape[1]
    penalised = np.ones(count + scaled[1].shape[1])
    penalised[[0, count]] = 0

    def loss(parameters):
        one, other = logistic(scaled[0] @ parameters[:count]), logistic(scaled[1] @ parameters[count:])
        predicted = np.clip(one * other, 1e-9, 1 - 1e-9)
        likelihood = truth * np.log(predicted) + (1 - truth) * np.log(1 - predicted)
        slope = weights * (predicted - truth) / (1 - predicted)
        penalty = PENALTY * (penalised * parameters**2).sum()
        slopes = np.r_[scaled[0].T @ (slope * (1 - one)), scaled[1].T @ (slope * (1 - other))]
        return penalty - weights @ likelihood, slopes + 2 * PENALTY * penalised * parameters

    start = np.r_[2, np.full(count - 1, 0.5), 1, np.zeros(scaled[1].shape[1] - 1)]
    both = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 2000}).x

    def unscaled(parameters, mean, spread):
        coefficients = parameters[1:] / spread
        return np.r_[parameters[0] - coefficients @ mean, coefficients]

    return unscaled(both[:count], means[0], spreads[0]), unscaled(both[count:], means[1], spreads[1])


def applied(parameters, inputs):
    return logistic(parameters[0] + inputs @ parameters[1:])


def set_weights(queries, chosen, weight=1.0):
    """Weights such that the chosen queries of each set have the same total."""
    weights = np.zeros(len(queries))
    sets = np.array([query.set for query in queries])
    for name in set(sets):
        of_set = chosen & (sets == name)
        if of_set.any():
            weights[of_set] = weight / of_set.sum()
    return weights


class Model:
    # The parameters of the first two factors, if they are not fitted.
    kept = None

    def __init__(self, queries):
        foreign = np.array([query.foreign for query in queries])
        answerable = np.array([query.answerable for query in queries])
        if Model.kept:
            self.on_topic, self.answered = Model.kept
        else:
            on_topic = np.array([query.inputs(ON_TOPIC) for query in queries])
            answered = np.array([query.inputs(ANSWERED) for query in queries])
            weights = set_weights(queries, answerable, 1 - FOREIGN_SHARE - UNANSWERED_SHARE)
            weights += set_weights(queries, foreign, FOREIGN_SHARE)
            weights += set_weights(queries, ~answerable & ~foreign, UNANSWERED_SHARE)
            fits = fitted_product(on_topic, answered, answerable.astype(float), weights)
            self.on_topic, self.answered = fits
        weights = set_weights(queries, ~foreign, 1 - FOREIGN_SHARE) + set_weights(queries, foreign, FOREIGN_SHARE)
        inputs = np.concatenate([self.of_results(query) for query in queries])
        truth = np.concatenate([query.relevant for query in queries])
        factor = np.concatenate([np.full(len(query.results), self.answers(query)) for query in queries])
        per_result = np.concatenate([np.full(len(query.results), of) for query, of in zip(queries, weights)])
        self.relevance = fitted(inputs, truth, per_result, factor)

        of_results = np.concatenate([np.full(len(query.results), not query.foreign) for query in queries])
        inputs = np.array([[of[name] for name in SEARCH_ONLY] for query in queries for of in query.features])
        self.search_only = fitted(inputs[of_results], truth[of_results], per_result[of_results])

    @staticmethod
    def of_results(query):
        return np.array([[result[name] for name in RELEVANCE] for result in query.results])

    def answers(self, query):
        on_topic = applied(self.on_topic, np.array(query.inputs(ON_TOPIC)))
        return on_topic * applied(self.answered, np.array(query.inputs(ANSWERED)))

    def confidence(self, query):
        return self.answers(query) * applied(self.relevance, self.of_results(query))


def held_out(queries, part):
    """Each query's predictions by a model fitted without its `part`."""
    predictions = {}
    for name in sorted({part(query) for query in queries}):
        model = Model([query for query in queries if part(query) != name])
        for at, query in enumerate(queries):
            if part(query) == name:
                predictions[at] = (model.answers(query), model.confidence(query))
    return predictions


def report(title, queries, predictions):
    print(f"\n{title}")
    for name in sorted({query.set for query in queries}):
        of_set = [(query, *predictions[at]) for at, query in enumerate(queries) if query.set == name]
        predicted = np.concatenate([confidence for query, _, confidence in of_set if query.counts])
        relevant = np.concatenate([query.relevant for query, _, _ in of_set if query.counts])
        every = [(query, confidence) for query, _, confidence in of_set if not query.foreign]
        over_all = calibration_error(
            np.concatenate([confidence for _, confidence in every]),
            np.concatenate([query.relevant for query, _ in every]),
        )

        def by_kind(figure):
            kinds = {"answerable": [], "unanswerable": [], "foreign": []}
            for query, answers, confidence in of_set:
                kind = "answerable" if query.answerable else "foreign" if query.foreign else "unanswerable"
                kinds[kind].append(figure(answers, confidence))
            return kinds

        whole, first = by_kind(lambda answers, _: answers), by_kind(lambda _, confidence: confidence[0])
        print(
            f"  {name:8} ECE {calibration_error(predicted, relevant):.3f} (with unanswerable {over_all:.3f})"
            f"  results AUROC {auroc(predicted[relevant > 0], predicted[relevant == 0]):.3f}"
            f"  abstention: question {auroc(whole['answerable'], whole['unanswerable']):.3f}"
            f" first result {auroc(first['answerable'], first['unanswerable']):.3f}"
            f"  foreign: question {auroc(whole['answerable'], whole['foreign']):.3f}"
            f" first result {auroc(first['answerable'], first['foreign']):.3f}"
            f" p95 {np.quantile(first['foreign'] or [np.nan], 0.95):.2f}"
        )


def with_parameters(source, name, inputs, parameters):
    """The Rust source with the parameters of one logistic function replaced."""
    start = re.search(rf"^    {name} (\S+) {{$", source, re.MULTILINE)
    end = source.index("\n    }", start.end())
    body = source[start.end() : end]
    for input_name, number in zip(inputs, parameters[1:]):
        body, found = re.subn(rf"^(        {input_name}) \S+,$", rf"\1 {number:.4f},", body, flags=re.MULTILINE)
        if found != 1:
            raise SystemExit(f"{name} has no input {input_name}")
    return source[: start.start()] + f"    {name} {parameters[0]:.4f} {{" + body + source[end:]


def present_parameters(source, name, inputs):
    """The parameters of one logistic function in the Rust source."""
    start = re.search(rf"^    {name} (\S+) {{$", source, re.MULTILINE)
    body = source[start.end() : source.index("\n    }", start.end())]
    found = dict(re.findall(r"^        (\w+) (\S+),$", body, re.MULTILINE))
    return np.array([float(start[1]), *(float(found[name]) for name in inputs)])


def main():
    arguments = [argument for argument in sys.argv if argument != "--relevance"]
    if len(arguments) < len(sys.argv):
        source = open(MODEL, encoding="utf-8").read()
        Model.kept = [present_parameters(source, "OnTopic", ON_TOPIC), present_parameters(source, "Answered", ANSWERED)]
    sys.argv = arguments
    queries = read(sys.argv[1])
    report("without the conversation", queries, held_out(queries, lambda query: query.corpus))
    report("without the family of sets", queries, held_out(queries, lambda query: query.family))
    model = Model(queries)
    report("fitted on all", queries, {at: (model.answers(query), model.confidence(query)) for at, query in enumerate(queries)})
    fits = [
        ("OnTopic", ON_TOPIC, model.on_topic),
        ("Answered", ANSWERED, model.answered),
        ("RelevanceInputs", RELEVANCE, model.relevance),
        ("SearchOnly", SEARCH_ONLY, model.search_only),
    ]
    for name, inputs, parameters in fits:
        print(f"\n{name} {parameters[0]:.4f}")
        for input_name, number in zip(inputs, parameters[1:]):
            print(f"    {input_name} {number:.4f}")
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as file:
            source = file.read()
        for fit in fits:
            source = with_parameters(source, *fit)
        with open(sys.argv[2], "w", encoding="utf-8") as file:
            file.write(source)


if __name__ == "__main__":
    main()
