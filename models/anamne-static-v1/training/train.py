"""Trains the token table against the teacher.

loss = 1 - cosine(student, projected teacher), and in the run `pairs` also a contrastive loss on
pairs, with the targets MIX * one-hot + (1 - MIX) * softmax(teacher similarities).
"""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from .table import FIRST_WORD_TOKEN
from .teacher import Teacher

DIMENSIONS, TOKENS, BATCH = 256, 30_522, 1024
COMMON_WORD_WEIGHT = 3e-3
LEARNING_RATE, WARM_UP = 3e-3, 0.03
TEMPERATURE, MIX = 0.05, 0.8
CLS, SEP = 101, 102


@dataclass(frozen=True)
class Run:
    name: str
    epochs: int
    #: Pair batches for each text batch; 0 trains by regression alone.
    pair_share: float


RUNS = {run.name: run for run in (Run("pairs", 5, 0.6), Run("regression", 3, 0.0))}


class Corpus:
    """All blocks together: the tokens of all texts in a row, the teacher's vectors, the pairs."""

    def __init__(self, work: Path):
        blocks = [np.load(path) for path in sorted(work.glob("block-????.npz"))]
        join = lambda key: np.concatenate([block[key] for block in blocks])
        self.tokens = torch.from_numpy(join("tokens").astype(np.int64))
        self.lengths, self.vectors = join("lengths"), torch.from_numpy(join("vectors"))
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)])
        self.texts = np.where(self.lengths > 0)[0]
        self.pairs = self.complete_pairs(join("pairs"))

    def complete_pairs(self, numbers: np.ndarray) -> np.ndarray:
        """The texts that share a number with exactly one other text, two by two."""
        numbers = np.where(self.lengths > 0, numbers, -1)
        _, inverse, size = np.unique(numbers, return_inverse=True, return_counts=True)
        members = np.where((numbers >= 0) & (size[inverse] == 2))[0]
        members = members[np.argsort(numbers[members], kind="stable")]
        return members.reshape(-1, 2)

    def teacher(self, texts: np.ndarray) -> torch.Tensor:
        return self.vectors[torch.from_numpy(texts)].float()

    def student(self, table: torch.Tensor, texts: np.ndarray) -> torch.Tensor:
        lengths = self.lengths[texts]
        bags = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        places = np.repeat(self.starts[texts] - bags, lengths) + np.arange(lengths.sum())
        tokens = self.tokens[torch.from_numpy(places)]
        return F.normalize(F.embedding_bag(tokens, table, torch.from_numpy(bags), mode="sum"), dim=-1)

    def by_topic(self, texts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """An order in which neighbours in the teacher's space stand together."""
        pivots = self.teacher(rng.choice(texts, max(8, len(texts) // 350)))
        nearest = np.concatenate([
            (self.teacher(texts[start:start + 16_384]) @ pivots.T).argmax(1).numpy()
            for start in range(0, len(texts), 16_384)
        ])
        place = rng.permutation(len(pivots))[nearest]
        return np.argsort(place + rng.random(len(texts)) * 0.999, kind="stable")


def train(teacher_folder: Path, work: Path, run: Run, threads: int) -> None:
    torch.set_num_threads(threads)
    rng = np.random.default_rng(1)
    corpus = Corpus(work)
    print(f"{len(corpus.texts)} texts, {len(corpus.pairs)} pairs", flush=True)
    projection = top_directions(corpus, rng)
    start = start_table(Teacher(teacher_folder), corpus, projection)
    table = optimise(corpus, run, torch.tensor(projection), torch.tensor(start), rng)
    np.savez(work / f"{run.name}.npz", table=table.detach().numpy(), start=start)


def top_directions(corpus: Corpus, rng: np.random.Generator) -> np.ndarray:
    """The top singular vectors of the teacher's (uncentred) text vectors, [384, 256]."""
    size = min(len(corpus.texts), 60_000)
    sample = corpus.teacher(rng.choice(corpus.texts, size, replace=False)).numpy()
    energy, directions = np.linalg.eigh(sample.T @ sample / size)
    kept = energy[::-1][:DIMENSIONS].sum() / energy.sum()
    print(f"energy kept: {kept:.3f}", flush=True)
    return directions[:, ::-1][:, :DIMENSIONS].astype(np.float32).copy()


def start_table(teacher: Teacher, corpus: Corpus, projection: np.ndarray) -> np.ndarray:
    """Every wordpiece through the teacher, centred, projected, common ones made smaller."""
    alone = teacher.embed([[CLS, token, SEP] for token in range(TOKENS)])
    counts = np.bincount(corpus.tokens.numpy(), minlength=TOKENS) + 0.5
    share = counts / counts.sum()
    weight = COMMON_WORD_WEIGHT / (COMMON_WORD_WEIGHT + share)
    table = ((alone - alone.mean(0)) @ projection) * weight[:, None]
    table[:FIRST_WORD_TOKEN] = 0
    return table.astype(np.float32)


def optimise(
    corpus: Corpus, run: Run, projection: torch.Tensor, start: torch.Tensor, rng: np.random.Generator
) -> torch.Tensor:
    table = torch.nn.Parameter(start.clone())
    optimiser = torch.optim.Adam([table], lr=LEARNING_RATE, betas=(0.9, 0.99))
    total, step = run.epochs * (len(corpus.texts) // BATCH), 0
    while step < total:
        for kind, batch in epoch(corpus, run, rng):
            if step >= total:
                break
            loss = (regression if kind == "text" else contrast)(corpus, table, batch, projection)
            optimiser.zero_grad()
            loss.backward()
            step += 1
            rate = min(1, step / max(1, WARM_UP * total)) * (0.5 + 0.5 * math.cos(math.pi * step / total))
            optimiser.param_groups[0]["lr"] = LEARNING_RATE * rate
            optimiser.step()
            with torch.no_grad():
                table[:FIRST_WORD_TOKEN] = 0
        print(f"step {step} of {total}", flush=True)
    return table


def epoch(corpus: Corpus, run: Run, rng: np.random.Generator) -> list[tuple[str, np.ndarray]]:
    texts = corpus.texts[corpus.by_topic(corpus.texts, rng)]
    batches = [("text", batch) for batch in whole_batches(texts)]
    wanted = int(len(batches) * run.pair_share) * BATCH
    pairs = corpus.pairs[rng.permutation(len(corpus.pairs))[:wanted]]
    if len(pairs):
        pairs = pairs[corpus.by_topic(pairs[:, 1], rng)]
        batches += [("pair", batch) for batch in whole_batches(pairs)]
    return [batches[number] for number in rng.permutation(len(batches))]


def whole_batches(rows: np.ndarray) -> list[np.ndarray]:
    return [rows[start:start + BATCH] for start in range(0, len(rows) - BATCH + 1, BATCH)]


def regression(corpus, table, texts, projection) -> torch.Tensor:
    target = F.normalize(corpus.teacher(texts) @ projection, dim=-1)
    return (1 - (corpus.student(table, texts) * target).sum(1)).mean()


def contrast(corpus, table, pairs, _projection) -> torch.Tensor:
    left, right = corpus.teacher(pairs[:, 0]), corpus.teacher(pairs[:, 1])
    # Texts that are all but the same are no negatives of each other.
    same = (left @ left.T > 0.998) | (right @ right.T > 0.998)
    same &= ~torch.eye(len(pairs), dtype=torch.bool)
    soft = F.softmax((left @ right.T / TEMPERATURE).masked_fill(same, -1e4), 1)
    target = MIX * torch.eye(len(pairs)) + (1 - MIX) * soft
    found = corpus.student(table, pairs[:, 0]) @ corpus.student(table, pairs[:, 1]).T
    found = (found / TEMPERATURE).masked_fill(same, -1e4)
    forth = -(target * F.log_softmax(found, 1)).sum(1).mean()
    back = -(target * F.log_softmax(found, 0)).sum(0).mean()
    return forth + 0.5 * back
