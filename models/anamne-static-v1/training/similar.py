"""Writes similar.bin: for each token, the tokens whose rows have a cosine of at least 0.4 with its own.

Layout, little-endian: the magic b"ANSIM\\x01\\0\\0", the number of tokens and of pairs (u32), the start of each
token's pairs (u32, one more than tokens), then all tokens (u16, ascending for each) and all cosines (u8, 255ths).
"""

from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

MAGIC = b"ANSIM\x01\0\0"
THRESHOLD = 0.4
MOST = 48
ROWS_AT_A_TIME = 1024


def similar_tokens(unit_rows: np.ndarray, first: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Tokens and cosines of the nearest rows, for up to 1 024 tokens from `first` on."""
    found = []
    for cosines in unit_rows[first : first + ROWS_AT_A_TIME] @ unit_rows.T:
        near = np.where(cosines >= THRESHOLD)[0]
        if len(near) > MOST:
            near = near[np.argsort(-cosines[near], kind="stable")[:MOST]]
        near = np.sort(near)
        found.append((near, cosines[near]))
    return found


def write_similar(folder: Path) -> None:
    """Reads `model.safetensors` in `folder` and writes `similar.bin` beside it."""
    codes = load_file(folder / "model.safetensors")["embeddings"].astype(np.float32)
    unit_rows = codes / np.maximum(np.linalg.norm(codes, axis=1), 1e-9)[:, None]
    found = []
    for first in range(0, len(unit_rows), ROWS_AT_A_TIME):
        found.extend(similar_tokens(unit_rows, first))
    starts = np.cumsum([0] + [len(near) for near, _ in found])
    with open(folder / "similar.bin", "wb") as file:
        file.write(MAGIC)
        file.write(np.array([len(unit_rows), starts[-1]], "<u4").tobytes())
        file.write(starts.astype("<u4").tobytes())
        file.write(np.concatenate([near for near, _ in found]).astype("<u2").tobytes())
        cosines = np.concatenate([cosines for _, cosines in found])
        file.write(np.clip(np.round(cosines * 255), 0, 255).astype("u1").tobytes())


if __name__ == "__main__":
    write_similar(Path(__file__).resolve().parent.parent)
