"""Make the trained judge what the product loads: int8 ONNX."""

import argparse
import tempfile
from pathlib import Path

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn

from recollect.models import judge as product
from training.judge import encoder
from training.judge.train import CACHE

NAMES = ("input_ids", "attention_mask", "token_type_ids")


def export(model: nn.Module, given: dict[str, Tensor], places: int, out: Path) -> None:
    """Write the file, with no more places than the product reads. All of *given* grow along all their axes."""
    model.places = nn.Embedding.from_pretrained(model.places.weight[:places])
    model.eval()
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        torch.onnx.export(
            model,
            tuple(given.values()),
            str(whole),
            input_names=list(given),
            output_names=["logits"],
            dynamic_axes={
                name: {axis: f"{name}_{axis}" for axis in range(one.dim())}
                for name, one in given.items()
            },
            opset_version=17,
            dynamo=False,
        )
        quantize_dynamic(
            whole,
            out,
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=True,
            op_types_to_quantize=["MatMul", "Gather"],
        )


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layers", type=int, default=6, choices=sorted(encoder.KEPT))
    options = parser.parse_args()
    judge = encoder.Judge(options.layers)
    judge.load_state_dict(torch.load(CACHE / f"judge-{options.layers}.pt", weights_only=True))
    words = encoder.tokenizer(encoder.fetch(options.layers, CACHE))
    pair = encoder.encode(words, [("Ann lives in Rome.", "Ann moved to Oslo in May.")])
    export(judge, dict(zip(NAMES, pair, strict=True)), product.TOKENS_MAX, product.FILE)


if __name__ == "__main__":
    main()
