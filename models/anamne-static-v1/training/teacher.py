"""The teacher, all-MiniLM-L6-v2, in bulk on a CPU: batches of equal length, no padding, no mask."""

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from tokenizers import Tokenizer

WIDTH, HEADS, LAYERS = 384, 12, 6
TOKENS_PER_BATCH = 512


def tokenizer(teacher: Path, longest: int) -> Tokenizer:
    result = Tokenizer.from_file(str(teacher / "tokenizer.json"))
    result.enable_truncation(longest)
    result.no_padding()
    return result


class Teacher:
    def __init__(self, folder: Path):
        self.weights = load_file(folder / "model.safetensors")
        self.positions = (
            self.weights["embeddings.position_embeddings.weight"]
            + self.weights["embeddings.token_type_embeddings.weight"][0]
        )

    def linear(self, name: str, values: torch.Tensor) -> torch.Tensor:
        return F.linear(values, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def normalise(self, name: str, values: torch.Tensor) -> torch.Tensor:
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return F.layer_norm(values, (WIDTH,), weight, bias, eps=1e-12)

    @torch.inference_mode()
    def embed_equal(self, tokens: torch.Tensor) -> np.ndarray:
        """Unit vectors of a batch [texts, length] of token ids, [CLS] and [SEP] included."""
        texts, length = tokens.shape
        words = self.weights["embeddings.word_embeddings.weight"][tokens]
        state = self.normalise("embeddings.LayerNorm", words + self.positions[:length])
        for layer in (f"encoder.layer.{number}" for number in range(LAYERS)):
            query, key, value = (
                self.linear(f"{layer}.attention.self.{part}", state)
                .view(texts, length, HEADS, WIDTH // HEADS).transpose(1, 2)
                for part in ("query", "key", "value")
            )
            mixed = F.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(2)
            output = f"{layer}.attention.output"
            state = self.normalise(f"{output}.LayerNorm", state + self.linear(f"{output}.dense", mixed))
            wide = F.gelu(self.linear(f"{layer}.intermediate.dense", state))
            output = f"{layer}.output"
            state = self.normalise(f"{output}.LayerNorm", state + self.linear(f"{output}.dense", wide))
        return F.normalize(state.mean(1), dim=-1).numpy()

    def embed(self, texts: list[list[int]], dtype=np.float32) -> np.ndarray:
        vectors = np.zeros((len(texts), WIDTH), dtype)
        by_length: dict[int, list[int]] = {}
        for number, tokens in enumerate(texts):
            by_length.setdefault(len(tokens), []).append(number)
        for length, numbers in by_length.items():
            step = max(1, TOKENS_PER_BATCH // length)
            for start in range(0, len(numbers), step):
                batch = numbers[start:start + step]
                vectors[batch] = self.embed_equal(torch.tensor([texts[n] for n in batch]))
        return vectors
