"""From trained tables to the files of the model: averaging, rounding, writing."""

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

MODEL_FOLDER = Path(__file__).resolve().parent.parent
#: Tokens below this number ([PAD], [unused...], [UNK], [CLS], [SEP], [MASK]) have zero rows.
FIRST_WORD_TOKEN = 104
#: How much each table counts: the two runs, and the start that both began from.
WEIGHTS = {"pairs": 1.0, "regression": 1.0, "start": 2.0}


def average(tables: list[tuple[float, np.ndarray]]) -> np.ndarray:
    """The weighted mean of tables that were trained from one start."""
    total = sum(weight for weight, _ in tables)
    mean = sum(weight * table.astype(np.float32) for weight, table in tables) / total
    mean[:FIRST_WORD_TOKEN] = 0
    return mean.astype(np.float32)


def quantise(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows as i8 codes, the largest value of each at +-127, and the scale of each row."""
    scales = np.abs(table).max(axis=1, keepdims=True) / 127
    scales[scales == 0] = 1
    codes = np.clip(np.round(table / scales), -127, 127).astype(np.int8)
    return codes, scales[:, 0].astype(np.float32)


def with_unit_mean_norm(table: np.ndarray) -> np.ndarray:
    """The table times one factor; cosines stay as they are."""
    return table / np.linalg.norm(table[FIRST_WORD_TOKEN:], axis=1).mean()


def average_runs(work: Path) -> None:
    pairs, regression = (np.load(work / f"{run}.npz") for run in ("pairs", "regression"))
    tables = {"pairs": pairs["table"], "regression": regression["table"], "start": pairs["start"]}
    np.save(work / "table.npy", average([(WEIGHTS[name], table) for name, table in tables.items()]))


def export(work: Path, output: Path) -> None:
    """Writes a Model2Vec folder from the averaged table; the vocabulary is that of this model."""
    table = with_unit_mean_norm(np.load(work / "table.npy"))
    vocabulary = (MODEL_FOLDER / "vocabulary.txt").read_text(encoding="utf-8").splitlines()
    if len(vocabulary) != len(table):
        raise ValueError(f"{len(table)} rows for {len(vocabulary)} wordpieces")
    output.mkdir(parents=True, exist_ok=True)
    codes, scales = quantise(table)
    save_file({"embeddings": codes, "weights": scales}, output / "model.safetensors")
    configuration = json.loads((MODEL_FOLDER / "config.json").read_text(encoding="utf-8"))
    configuration["hidden_dim"] = table.shape[1]
    (output / "config.json").write_text(json.dumps(configuration, indent=1), encoding="utf-8")
    for name in ("vocabulary.txt", "tokenizer.json", "NOTICE"):
        (output / name).write_bytes((MODEL_FOLDER / name).read_bytes())
