"""Make the trained model of answers what the product loads: int8 ONNX, and the hash that it is checked by."""

import argparse
import hashlib

import msgspec

from recollect.models import answers as product
from recollect.models.answers import AnswersSetting, encode
from training.answers.model import padded
from training.answers.train import CLOSED, Data, held, score
from training.judge import encoder
from training.judge.export import export
from training.judge.train import CACHE

VERSION = "answers.2"
NAMES = ("input_ids", "parts", "numbers")


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layers", type=int, default=6, choices=sorted(encoder.KEPT))
    parser.add_argument("--closed", action="store_true", help="score it on the closed hand, once")
    options = parser.parse_args()
    model = held(options.layers, CACHE / f"answers-{options.layers}.pt")
    words = encoder.tokenizer(encoder.fetch(options.layers, CACHE))
    if options.closed:
        print(score("closed hand", Data(CLOSED), model, words))
    asked = encode(
        words, "Where does Ann live?", ["Ann lives in Rome.", "Ann moved to Oslo in May."]
    )
    given = dict(zip(NAMES, padded([asked]), strict=True))
    export(model, given, product.TOKENS_MAX, product.FILE)
    made = AnswersSetting(VERSION, hashlib.sha256(product.FILE.read_bytes()).hexdigest())
    product.SETTING.write_bytes(msgspec.json.format(msgspec.json.encode(made)) + b"\n")


if __name__ == "__main__":
    main()
