"""Embeds the corpus with the teacher, block by block; a stopped run goes on where it was."""

import json
from itertools import islice
from pathlib import Path

import numpy as np
import torch

from .teacher import Teacher, tokenizer

BLOCK = 16_000
LONGEST = 96


def encode(teacher_folder: Path, work: Path, threads: int) -> None:
    torch.set_num_threads(threads)
    teacher, tokens_of = Teacher(teacher_folder), tokenizer(teacher_folder, LONGEST)
    with open(work / "corpus.jsonl", encoding="utf-8") as corpus:
        number = 0
        while rows := [json.loads(line) for line in islice(corpus, BLOCK)]:
            path = work / f"block-{number:04}.npz"
            if not path.exists():
                write_block(path, rows, teacher, tokens_of)
                print(path.name, flush=True)
            number += 1


def write_block(path: Path, rows: list[dict], teacher: Teacher, tokens_of) -> None:
    tokens = [found.ids for found in tokens_of.encode_batch([row["text"] for row in rows])]
    bare = [ids[1:-1] for ids in tokens]
    partial = path.with_suffix(".part.npz")
    np.savez(
        partial,
        vectors=teacher.embed(tokens, np.float16),
        tokens=np.concatenate([np.array(ids, np.uint16) for ids in bare]),
        lengths=np.array([len(ids) for ids in bare]),
        pairs=np.array([-1 if row["pair"] is None else row["pair"] for row in rows]),
    )
    partial.rename(path)
