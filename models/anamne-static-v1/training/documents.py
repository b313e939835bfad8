"""Headed documents (HTML, Markdown, reStructuredText, plain text) as texts and pairs."""

import html
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

#: One text, and the number that it shares with the text that it belongs to, or None.
Text = tuple[str, int | None]
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(0-9])")
LONGEST_PASSAGE = 75
TAG = re.compile(r"<[^>]+>")
HTML_BLOCK = re.compile(
    r"<(h[1-5]|p|dd|dt|li|td)\b[^>]*>(.*?)(?=</\1>|<(?:h[1-5]|p|dd|li|table|ul|ol|pre|div)\b)",
    re.S | re.I,
)


def flat(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def passages(paragraphs: list[str], longest: int = LONGEST_PASSAGE) -> Iterator[str]:
    """Whole sentences, up to `longest` words together."""
    sentences: list[str] = []
    words = 0
    for paragraph in paragraphs:
        for sentence in SENTENCE_END.split(flat(paragraph)):
            length = len(sentence.split())
            if words and words + length > longest:
                yield " ".join(sentences)
                sentences, words = [], 0
            if length:
                sentences.append(sentence)
                words += length
        if words > longest / 2:
            yield " ".join(sentences)
            sentences, words = [], 0
    if sentences:
        yield " ".join(sentences)


def section(
    title: str, heading: str, paragraphs: list[str], rng: random.Random,
    next_pair: Callable[[], int], sentence_share: float = 0.5,
) -> Iterator[Text]:
    """A heading with its first passage, or a sentence with the passage around it."""
    for number, passage in enumerate(passages(paragraphs)):
        if len(passage.split()) < 8:
            continue
        pair = next_pair()
        sentences = [s for s in SENTENCE_END.split(passage) if 5 <= len(s.split()) <= 40]
        if len(sentences) >= 2 and rng.random() < sentence_share:
            sentence = rng.choice(sentences)
            yield sentence, pair
            if rng.random() < 0.6:
                passage = passage.replace(sentence, " ")
        elif number == 0 and heading:
            full = heading if len(heading.split()) > 2 or not title else f"{title}: {heading}"
            if len(full.split()) >= 2:
                yield full, pair
        yield passage, pair


def html_sections(source: str) -> Iterator[tuple[str, str, list[str]]]:
    source = re.sub(r"<(script|style|pre|nav|svg)\b.*?</\1>", " ", source, flags=re.S | re.I)
    found = re.search(r"<title>(.*?)</title>", source, re.S | re.I)
    title = re.split(r" [-—|–] ", plain(found.group(1)))[0] if found else ""
    heading, paragraphs = "", []
    for block in HTML_BLOCK.finditer(source):
        tag, text = block.group(1).lower(), plain(block.group(2))
        if re.fullmatch(r"h\d", tag):
            yield title, heading, paragraphs
            heading, paragraphs = re.sub(r"^[\d.]+\s*|[§¶]", "", text).strip(), []
        elif len(text.split()) >= 5:
            paragraphs.append(text)
    yield title, heading, paragraphs


def plain(markup: str) -> str:
    return flat(html.unescape(TAG.sub("", markup)))


def cnxml_sections(source: str) -> Iterator[tuple[str, str, list[str]]]:
    for old, new in (("<para", "<p"), ("</para>", "</p>"), ("<title>", "<h2>"), ("</title>", "</h2>")):
        source = source.replace(old, new)
    return html_sections(source)


def markdown_sections(source: str) -> Iterator[tuple[str, str, list[str]]]:
    source = re.sub(r"^---\n.*?\n---\n", "", source, flags=re.S)
    source = re.sub(r"```.*?```|~~~.*?~~~", " ", source, flags=re.S)
    source = re.sub(r"<[^>]+>|\{%.*?%\}|\{\{.*?\}\}", " ", source)
    source = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", source)
    title, heading, paragraphs = "", "", []
    for block in re.split(r"\n\s*\n|\n(?=#)", source):
        block = block.strip()
        found = re.match(r"(#+)\s*(.+)", block)
        if found:
            yield title, heading, paragraphs
            heading, paragraphs = re.sub(r"\{.*?\}|`", "", found.group(2)).strip(), []
            title = title or heading
            block = block[found.end():]
        block = re.sub(r"^[\s>*+-]+|\*\*|__|`", "", block, flags=re.M)
        if len(block.split()) >= 6:
            paragraphs.append(block)
    yield title, heading, paragraphs


def restructured_sections(source: str) -> Iterator[tuple[str, str, list[str]]]:
    source = re.sub(r":[\w:+-]+:`~?([^`<]*?)(?:\s*<[^>]*>)?`", r"\1", source)
    source = re.sub(r"``?([^`]*)``?_?_?", r"\1", source)
    source = re.sub(r"^\.\. .*?(?=\n\S|\Z)", "", source, flags=re.S | re.M)
    source = re.sub(r"::\n\n(?:[ \t]+.*\n|\n)+", "\n\n", source)
    title, heading, paragraphs = "", "", []
    for block in re.split(r"\n\s*\n", source):
        lines = [line for line in block.strip().split("\n") if line.strip()]
        rules = [line for line in lines if re.match(r"^([=\-~^\"'#*+.])\1{2,}\s*$", line)]
        if rules:
            yield title, heading, paragraphs
            lines = [line for line in lines if line not in rules]
            heading, paragraphs = (lines[0].strip() if lines else ""), []
            title, lines = title or heading, lines[1:]
        text = " ".join(re.sub(r"^\s*[*#-]\s+|\*\*|\*", "", line).strip() for line in lines)
        if len(text.split()) >= 6:
            paragraphs.append(text)
    yield title, heading, paragraphs


READERS = {
    ".html": html_sections, ".cnxml": cnxml_sections,
    ".md": markdown_sections, ".mdx": markdown_sections, ".markdown": markdown_sections,
    ".rst": restructured_sections, ".txt": restructured_sections,
}


def read_folder(
    folder: Path, only: str, share: float, rng: random.Random, next_pair: Callable[[], int]
) -> Iterator[Text]:
    """Every section of every readable file, `share` of them."""
    for path in sorted(folder.rglob("*")):
        reader = READERS.get(path.suffix.lower())
        if reader is None or not path.is_file() or not re.search(only, path.as_posix()):
            continue
        for title, heading, paragraphs in reader(path.read_text(encoding="utf-8", errors="replace")):
            if paragraphs and rng.random() < share:
                yield from section(title, heading, paragraphs, rng, next_pair)
