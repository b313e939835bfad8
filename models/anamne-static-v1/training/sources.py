"""The sources of the corpus, by name.

`--sources` is a folder with one folder per source: a checkout of the repository, or an unpacked
documentation package, under the name given here. A source that is not there is reported and left out.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Documents:
    """Documentation and prose, read file by file."""

    name: str
    #: Which share of the sections to keep.
    share: float = 1.0
    #: Only files whose path matches; everything readable by default.
    only: str = ""
    #: No more texts than this.
    limit: int = 1_000_000


DOCUMENTS = (
    Documents("rust-documentation", 0.6, limit=28_000),
    Documents("python-documentation", limit=28_000),
    Documents("postgresql-documentation", limit=18_000),
    Documents("sqlite-documentation", limit=12_000),
    Documents("apache-httpd-documentation", 0.8, only=r"/en/"),
    Documents("nodejs-documentation", 0.5),
    Documents("react-documentation", 0.7, only=r"src/content/"),
    Documents("vue-documentation", 0.7),
    Documents("go-documentation", 0.5, limit=5_000),
    Documents("cpp-documentation", 0.07, limit=5_000),
    Documents("powershell-documentation", 0.12, limit=6_000),
    Documents("sqlalchemy-documentation", 0.6),
    Documents("laravel-documentation", 0.6),
    Documents("symfony-documentation", 0.25),
    Documents("redis-documentation", 0.5),
    Documents("prometheus-documentation", 0.8),
    Documents("cargo-documentation", 0.8),
    Documents("python-enhancement-proposals", 0.4, limit=6_000),
    Documents("rust-rfcs", 0.35, limit=6_000),
    Documents("swift-evolution", 0.25, limit=4_000),
    Documents("openstax-books", only=r"index\.cnxml$"),
    Documents("public-domain-fiction"),
)

#: Sources with a format of their own, and the most texts to take from each; `records.py` reads them.
RECORDS = {
    "wordnet": 130_000,
    "tldr-pages": 9_000,
    "wikitext-2": 1_000_000,
    "wiki-split": 1_000_000,
    "factbook": 8_000,
    "squad-train-questions": 1_000_000,
    "fairytale-qa": 18_000,
    "open-trivia-qa": 24_000,
    "query-wellformedness": 1_000_000,
    "clinc150": 1_000_000,
    "synthetic-persona-chat": 40_000,
    "self-dialogue": 38_000,
    "topical-chat": 30_000,
    "schema-guided-dialogue": 12_000,
    "taskmaster": 12_000,
}
