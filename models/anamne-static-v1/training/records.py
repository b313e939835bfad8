"""Sources with a format of their own: dictionaries, questions, dialogues."""

import csv
import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from .documents import Text, flat, passages, plain, section

SPEAKERS = (
    "Alice Bob Carol David Emma Frank Grace Henry Irene Jack Karen Leo Maria Nathan Olivia Peter "
    "Quinn Rachel Sam Tina Umar Victoria Walter Xenia Yusuf Zoe Priya Kenji Fatima Carlos Ingrid "
    "Ahmed Mei Lukas Sofia Ivan Chloe Diego Hannah Omar"
).split()


class Records:
    """Reads one source; each method is named after what it reads."""

    def __init__(self, folder: Path, rng: random.Random, next_pair: Callable[[], int]):
        self.folder, self.rng, self.next_pair = folder, rng, next_pair

    def files(self, pattern: str) -> Iterator[Path]:
        yield from sorted(path for path in self.folder.rglob(pattern) if path.is_file())

    def text(self, path: Path) -> str:
        return path.read_text(encoding="utf-8", errors="replace")

    def wordnet(self) -> Iterator[Text]:
        """`data.noun` and its like: the words of a meaning with its gloss, and an example."""
        for path in self.files("data.*"):
            for line in self.text(path).splitlines():
                if line.startswith("  ") or " | " not in line:
                    continue
                entry, gloss = line.split(" | ", 1)
                fields = entry.split()
                names = [fields[4 + 2 * i] for i in range(int(fields[3], 16))]
                words = ", ".join(re.sub(r"\(.*\)", "", n).replace("_", " ") for n in names[:3])
                meaning, *examples = re.split(r'; (?=")', gloss.strip())
                if self.rng.random() < 0.45:
                    pair = self.next_pair()
                    yield words, pair
                    yield meaning, pair
                else:
                    yield f"{words}: {meaning}", None
                if examples and self.rng.random() < 0.5:
                    yield examples[0].strip('"; '), None

    def tldr_pages(self) -> Iterator[Text]:
        for path in self.files("*.md"):
            lines = self.text(path).splitlines()
            summary = " ".join(l[2:] for l in lines if l.startswith("> ") and "More info" not in l)
            uses = [l[2:].rstrip(":") for l in lines if l.startswith("- ")]
            pair = self.next_pair()
            yield f"{path.stem}: {summary}", pair
            if uses:
                yield self.rng.choice(uses), pair

    def wikitext_2(self) -> Iterator[Text]:
        for path in self.files("*.txt"):
            title, heading, paragraphs = "", "", []
            for line in spaced_out(self.text(path)).split("\n"):
                found = re.match(r"^ ?(=[ =]*) (.*?) =", line)
                if found:
                    yield from self.section(title, heading, paragraphs)
                    heading, paragraphs = found.group(2), []
                    title = heading if line.count("=") == 2 else title
                elif len(line.split()) > 8:
                    paragraphs.append(line)
            yield from self.section(title, heading, paragraphs)

    def wiki_split(self) -> Iterator[Text]:
        """A long sentence alone, or the two that say the same, as a pair."""
        for path in self.files("*.tsv"):
            for line in self.text(path).splitlines():
                whole, _, split = spaced_out(line).partition("\t")
                halves = split.split("<::::>")
                if self.rng.random() < 0.4:
                    yield whole, None
                elif len(halves) == 2:
                    pair = self.next_pair()
                    yield from ((half, pair) for half in halves)

    def factbook(self) -> Iterator[Text]:
        def walk(node: object, path: list[str]) -> Iterator[Text]:
            if not isinstance(node, dict):
                return
            text = node.get("text")
            if isinstance(text, str) and len(text.split()) >= 8 and self.rng.random() < 0.5:
                yield from self.section(path[0], " ".join(path[-2:]), [plain(text)], 0.3)
            for key, value in node.items():
                yield from walk(value, path + [key])

        for path in self.files("*.json"):
            node = json.loads(self.text(path))
            name = node.get("Government", {}).get("Country name", {}) if isinstance(node, dict) else {}
            short = name.get("conventional short form", {}).get("text", "none")
            if short != "none":
                yield from walk(node, [short])

    def squad_train_questions(self) -> Iterator[Text]:
        """`source.txt` and `target.txt`: sentences and the questions that they answer, by line."""
        sentences, questions = (
            [spaced_out(line) for line in self.text(self.folder / name).splitlines()]
            for name in ("source.txt", "target.txt")
        )
        unique = list(dict.fromkeys(sentences))
        place = {sentence: number for number, sentence in enumerate(unique)}
        for sentence, question in zip(sentences, questions):
            first, pair = place[sentence] // 3 * 3, self.next_pair()
            yield question, pair
            around = " ".join(unique[first:first + 3])
            yield (sentence if self.rng.random() < 0.4 else around), pair

    def fairytale_qa(self) -> Iterator[Text]:
        """Questions with the passage of the section that shares most words with the answer."""
        rows = [(p.stem.replace("-questions", "").replace("-story", ""), row)
                for p in self.files("*.csv") for row in csv.DictReader(self.text(p).splitlines())]
        sections = {(story, row["section"].strip()): row["text"]
                    for story, row in rows if row.get("text") and row.get("section")}
        for story, row in rows:
            text = sections.get((story, (row.get("cor_section") or "").strip()))
            if row.get("question") and text:
                asked = long_words(f"{row.get('answer1') or ''} {row['question']}")
                pair = self.next_pair()
                yield row["question"], pair
                yield max(passages([text], 70), key=lambda p: len(asked & long_words(p))), pair

    def open_trivia_qa(self) -> Iterator[Text]:
        for path in self.files("*"):
            for block in self.text(path).split("#Q ")[1:]:
                question = block.split("\n^")[0]
                answer = re.search(r"\n\^ ?(.*)", block)
                answer = answer.group(1).strip() if answer else ""
                if self.rng.random() < 0.5 or len(answer) < 3 or answer in ("True", "False"):
                    yield question, None
                else:
                    yield f"{question} {answer}", None

    def query_wellformedness(self) -> Iterator[Text]:
        for path in self.files("*.tsv"):
            yield from ((line.split("\t")[-1], None) for line in self.text(path).splitlines() if line)

    def clinc150(self) -> Iterator[Text]:
        parts = json.loads(self.text(self.folder / "data" / "data_full.json"))
        for part in ("train", "val", "oos_train"):
            yield from ((text, None) for text, _ in parts[part] if self.rng.random() < 0.5)

    def synthetic_persona_chat(self) -> Iterator[Text]:
        for path in self.files("*.csv"):
            for row in csv.reader(self.text(path).splitlines(keepends=True)):
                if len(row) >= 3:
                    turns = [re.sub(r"^User \d+: ?", "", turn) for turn in row[2].split("\n")]
                    yield from self.dialogue(turns)

    def self_dialogue(self) -> Iterator[Text]:
        for path in self.files("*.csv"):
            for row in csv.DictReader(self.text(path).splitlines(keepends=True)):
                turns = [row.get(f"Answer.sentence{i}") or "" for i in range(1, 21)]
                yield from self.dialogue(turns, 0.22)

    def topical_chat(self) -> Iterator[Text]:
        for path in (self.folder / "conversations").glob("*.json"):
            for chat in json.loads(self.text(path)).values():
                yield from self.dialogue([turn["message"] for turn in chat["content"]], 0.8)

    def schema_guided_dialogue(self) -> Iterator[Text]:
        for path in sorted((self.folder / "train").glob("dialogues*.json")):
            for chat in json.loads(self.text(path)):
                yield from self.dialogue([turn["utterance"] for turn in chat["turns"]], 0.1)

    def taskmaster(self) -> Iterator[Text]:
        for path in self.files("data/*.json"):
            for chat in json.loads(self.text(path)):
                turns = [turn.get("text", "") for turn in chat.get("utterances", [])]
                yield from self.dialogue(turns, 0.12)

    def section(self, title: str, heading: str, paragraphs: list[str], share: float = 0.5):
        return section(title, heading, paragraphs, self.rng, self.next_pair, share)

    def dialogue(self, turns: list[str], share: float = 1.0) -> Iterator[Text]:
        """Each turn with its answer, some with names in front, some with two answers."""
        turns = [turn for turn in map(flat, turns) if turn]
        speakers, named = self.rng.sample(SPEAKERS, 2), self.rng.random() < 0.6
        said = [f"{speakers[i % 2]}: {turn}" if named else turn for i, turn in enumerate(turns)]
        for i in range(0, len(said) - 1, 2):
            if self.rng.random() > share:
                continue
            pair = self.next_pair()
            yield said[i], pair
            two = self.rng.random() < 0.3 and i + 2 < len(said)
            yield (f"{said[i + 1]} {said[i + 2]}" if two else said[i + 1]), pair


def long_words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{3,}", text.lower()))


def spaced_out(text: str) -> str:
    """Undoes the spaces and brackets of pre-tokenised text."""
    for old, new in ((" @-@ ", "-"), (" @,@ ", ","), (" @.@ ", "."), ("<unk>", ""), ("-lrb-", "("),
                     ("-rrb-", ")"), ("``", '"'), ("''", '"'), ("( ", "(")):
        text = text.replace(old, new)
    return re.sub(r" ([.,;:!?)%']|n't|'s)", r"\1", text)
