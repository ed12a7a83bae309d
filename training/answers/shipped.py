"""The weights of a model that ships, as fractions again, so that it can go on learning."""

from pathlib import Path

import numpy as np
import torch
from onnx import numpy_helper
from torch import Tensor

from training.fuse import LAYER, Given

_NORMS = ("first", "second")


def shipped_weights(file: Path, layers: int) -> dict[str, Tensor]:
    """By the names that the model has for them; its last step is left out if it has other outputs."""
    given = Given(file)
    found = {
        f"{name}.weight": _table(given, f"{name}.weight") for name in ("words", "places", "sides")
    }
    norms = ["norm", *(f"layers.{n}.{name}" for n in range(layers) for name in _NORMS)]
    for name in norms:
        found |= {f"{name}.{kind}": _plain(given, f"{name}.{kind}") for kind in ("weight", "bias")}
    parts = [f"layers.{n}.{name}" for n in range(layers) for name in LAYER if name not in _NORMS]
    for part in [*parts, "head.0", "head.3"]:
        found[f"{part}.weight"] = _matrix(given, given.matrix(part))
        found[f"{part}.bias"] = _plain(given, f"{part}.bias")
    return found


def _plain(given: Given, name: str) -> Tensor:
    return torch.tensor(numpy_helper.to_array(given.held[name]))


def _matrix(given: Given, name: str) -> Tensor:
    scale = numpy_helper.to_array(given.held[name.replace("_quantized", "_scale")])
    whole = numpy_helper.to_array(given.held[name]).astype(np.float32) * scale
    return torch.tensor(whole.T.copy())


def _table(given: Given, name: str) -> Tensor:
    rows = numpy_helper.to_array(given.held[f"{name}_quantized"]).astype(np.float32)
    zero = numpy_helper.to_array(given.held[f"{name}_zero_point"])
    scale = numpy_helper.to_array(given.held[f"{name}_scale"])
    return torch.tensor((rows - zero.astype(np.float32)) * scale)
