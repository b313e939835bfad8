"""Collects the training texts into `corpus.jsonl`, one {"source", "text", "pair"} a line."""

import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from .documents import Text, flat, read_folder
from .records import Records
from .sources import DOCUMENTS, RECORDS

OVERLAP_WORDS = 8


def collect(sources: Path, work: Path, held_out: Path | None) -> None:
    rng, numbers = random.Random(13), count()
    excluded = Overlap(held_out.read_text(encoding="utf-8").splitlines() if held_out else [])
    groups: list[list[dict]] = []
    for name, limit, texts in read_all(sources, rng, lambda: next(numbers)):
        taken = clean_groups(name, texts, excluded)
        rng.shuffle(taken)
        groups += up_to(taken, limit)
    rng.shuffle(groups)
    work.mkdir(parents=True, exist_ok=True)
    with open(work / "corpus.jsonl", "w", encoding="utf-8") as output:
        for row in (row for group in groups for row in group):
            output.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(Counter(row["source"] for group in groups for row in group))


def read_all(sources: Path, rng: random.Random, next_pair) -> Iterator[tuple[str, int, Iterator[Text]]]:
    for source in DOCUMENTS:
        if present(sources / source.name):
            folder = sources / source.name
            texts = read_folder(folder, source.only, source.share, rng, next_pair)
            yield source.name, source.limit, texts
    for name, limit in RECORDS.items():
        if present(sources / name):
            records = Records(sources / name, rng, next_pair)
            yield name, limit, getattr(records, name.replace("-", "_"))()


def present(folder: Path) -> bool:
    if not folder.is_dir():
        print(f"{folder.name} is not among the sources and is left out", file=sys.stderr)
    return folder.is_dir()


def clean_groups(name: str, texts: Iterator[Text], excluded: "Overlap") -> list[list[dict]]:
    """The usable texts, those of a pair together."""
    seen: set[str] = set()
    groups: dict[object, list[dict]] = {}
    for number, (text, pair) in enumerate(texts):
        text = flat(text)
        letters = sum(character.isalpha() or character == " " for character in text)
        usable = 8 <= len(text) <= 1500 and letters >= 0.6 * len(text)
        if usable and text not in seen and text not in excluded:
            seen.add(text)
            key = ("alone", number) if pair is None else pair
            groups.setdefault(key, []).append({"source": name, "text": text, "pair": pair})
    return list(groups.values())


def up_to(groups: list[list[dict]], limit: int) -> list[list[dict]]:
    total, kept = 0, []
    for group in groups:
        if total >= limit:
            break
        kept.append(group)
        total += len(group)
    return kept


class Overlap:
    """Texts that may not be trained on, and every run of eight words in them."""

    def __init__(self, texts: list[str]):
        split = [words(text) for text in texts]
        self.whole = {" ".join(text) for text in split if len(text) >= 5}
        self.runs = {run for text in split for run in runs(text)}

    def __contains__(self, text: str) -> bool:
        found = words(text)
        return " ".join(found) in self.whole or any(run in self.runs for run in runs(found))


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def runs(text: list[str]) -> Iterator[str]:
    for start in range(len(text) - OVERLAP_WORDS + 1):
        yield " ".join(text[start:start + OVERLAP_WORDS])
