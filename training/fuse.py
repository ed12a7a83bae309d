"""Write the graphs by which the product runs the embedder, the judge and the model of answers.

A quantised BERT comes as some hundred small steps for each layer. The same arithmetic in fewer operators of
the runtime is cheaper: attention is one, a matrix is quantised, multiplied and shifted in one, and what does not
reach the output is left out. The weights stay in the file they came in; a graph only says where in it they
are, so it has a few kilobytes, and fits exactly that file, whose hash is checked before it is loaded.
"""

import argparse
import hashlib
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from recollect.models import answers, embedder, judge
from recollect.models.manifest import EMBEDDER
from recollect.settings import Settings

HEADS = 12
EPSILON = 1e-12
RUNTIME = "com.microsoft"
LAYER = ("query", "key", "value", "out", "first", "wide", "narrow", "second")
SMALL_BYTES = 64  # what is smaller is written into the graph


class Names(NamedTuple):
    """What a file calls the parts of a BERT: those of a layer, and what comes before the layers."""

    parts: dict[str, str]  # with the number of the layer left open
    words: str
    places: str
    sides: str
    norm: str

    def part(self, layer: int, name: str) -> str:
        """A part of a layer."""
        return self.parts[name].format(layer)


_BERT = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
)
EMBEDDER_NAMES = Names(
    {ours: f"encoder.layer.{{}}.{theirs}" for ours, theirs in zip(LAYER, _BERT, strict=True)},
    "embeddings.word_embeddings",
    "embeddings.position_embeddings",
    "embeddings.token_type_embeddings",
    "embeddings.LayerNorm",
)
JUDGE_NAMES = Names(
    {name: f"layers.{{}}.{name}" for name in LAYER}, "words", "places", "sides", "norm"
)


class Given:
    """A quantised model: its weights, and where in the file they are."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.content = file.read_bytes()
        graph = onnx.load_from_string(self.content).graph
        self.held = {one.name: one for one in graph.initializer}
        self._makers = {name: node for node in graph.node for name in node.output}
        self._users = {name: node for node in graph.node for name in node.input}

    def matrix(self, part: str) -> str:
        """The name of the matrix that a part multiplies with; a file numbers them, but not their bias."""
        step = self._users[f"{part}.bias"]
        while step.op_type != "MatMulInteger":
            step = next(self._makers[name] for name in step.input if name in self._makers)
        name: str = step.input[1]
        zero = name.replace("_quantized", "_zero_point")
        if numpy_helper.to_array(self.held[zero]).any():
            raise SystemExit(f"{part}: weights are expected to be symmetric")
        return name

    def place(self, name: str) -> int:
        """Where the bytes of a weight begin in the file."""
        raw = self.held[name].raw_data
        found = self.content.find(raw)
        if self.content.find(raw, found + 1) != -1:
            raise SystemExit(f"{name} is in the file twice")
        return found


class Graph:
    """A graph that is being written."""

    def __init__(self, given: Given, names: Names) -> None:
        self.given, self.names = given, names
        self._nodes: list[onnx.NodeProto] = []
        self._held: dict[str, onnx.TensorProto] = {}

    def step(self, op: str, *inputs: str, outputs: int = 1, **settings: object) -> list[str]:
        """Another operator; gives the names of its outputs."""
        made = [f"{op}{len(self._nodes)}_{number}" for number in range(outputs)]
        self._nodes.append(helper.make_node(op, inputs, made, **settings))
        return made

    def one(self, op: str, *inputs: str, **settings: object) -> str:
        """The same of an operator with one output."""
        return self.step(op, *inputs, **settings)[0]

    def weight(self, name: str) -> str:
        """A weight of the file; one that is not small stays there."""
        kept = onnx.TensorProto()
        kept.CopyFrom(self.given.held[name])
        if len(kept.raw_data) > SMALL_BYTES:
            kept.ClearField("raw_data")
            kept.data_location = TensorProto.EXTERNAL
            size = len(self.given.held[name].raw_data)
            where = {"location": self.given.file.name, "offset": self.given.place(name)}
            for key, value in (where | {"length": size}).items():
                kept.external_data.add(key=key, value=str(value))
        self._held[name] = kept
        return name

    def numbers(self, *values: int) -> str:
        """A list of whole numbers."""
        name = "numbers_" + "_".join(map(str, values))
        self._held[name] = numpy_helper.from_array(np.array(values, np.int64), name)
        return name

    def embedded(self, name: str, op: str, *places: str) -> str:
        """Rows of a quantised table, as fractions."""
        table = f"{name}.weight"
        rows = self.one(op, self.weight(f"{table}_quantized"), *places)
        scale = (self.weight(f"{table}_scale"), self.weight(f"{table}_zero_point"))
        return self.one("DequantizeLinear", rows, *scale)

    def normal(self, x: str, part: str) -> str:
        """Layer normalisation."""
        by = (self.weight(f"{part}.weight"), self.weight(f"{part}.bias"))
        return self.one("LayerNormalization", x, *by, axis=-1, epsilon=EPSILON)

    def linear(self, x: str, part: str) -> str:
        """A matrix and a bias."""
        matrix = self.given.matrix(part)
        scale = self.weight(matrix.replace("_quantized", "_scale"))
        by = (self.weight(matrix), scale, "", self.weight(f"{part}.bias"))
        return self.one("DynamicQuantizeMatMul", x, *by, domain=RUNTIME)

    def first(self, x: str) -> str:
        """The first token alone."""
        zero, one = self.numbers(0), self.numbers(1)
        return self.one("Slice", x, zero, one, one)

    def attention(self, x: str, layer: int) -> str:
        """All tokens look at all tokens."""
        parts = [self.names.part(layer, name) for name in LAYER[:3]]
        matrices = [self.given.matrix(part) for part in parts]
        scales = [self.weight(name.replace("_quantized", "_scale")) for name in matrices]
        matrix = self.one("Concat", *map(self.weight, matrices), axis=1)
        bias = self.one("Concat", *(self.weight(f"{part}.bias") for part in parts), axis=0)
        quantised, scale, zero = self.step("DynamicQuantizeLinear", x, outputs=3)
        weighed = self.one("Concat", *scales, axis=0)
        given = (quantised, matrix, bias, scale, weighed, "", zero)
        return self.one("QAttention", *given, num_heads=HEADS, domain=RUNTIME)

    def looking(self, x: str, layer: int) -> str:
        """The first token alone looks at all tokens."""
        quantised, scale, zero = self.step("DynamicQuantizeLinear", x, outputs=3)
        made = []
        for name in LAYER[:3]:
            part = self.names.part(layer, name)
            matrix = self.given.matrix(part)
            weighed = self.weight(matrix.replace("_quantized", "_scale"))
            rows = self.first(quantised) if name == "query" else quantised
            by = (self.weight(matrix), scale, weighed, zero, "", self.weight(f"{part}.bias"))
            made.append(self.one("MatMulIntegerToFloat", rows, *by, domain=RUNTIME))
        return self.one("MultiHeadAttention", *made, num_heads=HEADS, domain=RUNTIME)

    def layer(self, x: str, layer: int, *, first_only: bool = False) -> str:
        """A layer; the last one may give the first token alone."""
        part = self.names.part
        seen = self.looking(x, layer) if first_only else self.attention(x, layer)
        x = self.first(x) if first_only else x
        x = self.normal(
            self.one("Add", self.linear(seen, part(layer, "out")), x), part(layer, "first")
        )
        wide = self.one("Gelu", self.linear(x, part(layer, "wide")), domain=RUNTIME)
        narrow = self.linear(wide, part(layer, "narrow"))
        return self.normal(self.one("Add", narrow, x), part(layer, "second"))

    def layers(self) -> int:
        """How many layers the file has."""
        return next(
            n for n in count() if f"{self.names.part(n, 'out')}.bias" not in self.given.held
        )

    def places(self) -> str:
        """The rows of the places of the tokens."""
        zero = self.numbers(0)
        length = self.one("Shape", "input_ids", start=1, end=2)
        return self.embedded(self.names.places, "Slice", zero, length, zero)

    def write(
        self, file: Path, inputs: Sequence[str], last: str, name: str, *, numbers: str | None = None
    ) -> None:
        """Write the file. *last* is the output, under *name*; *numbers* an input that is a plain list."""
        for node in self._nodes:
            node.output[:] = [name if one == last else one for one in node.output]
        given = [
            helper.make_tensor_value_info(one, TensorProto.INT64, ["texts", "tokens"])
            for one in inputs
        ]
        if numbers is not None:
            given.append(helper.make_tensor_value_info(numbers, TensorProto.INT64, [numbers]))
        result = helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
        graph = helper.make_graph(self._nodes, "fused", given, [result], list(self._held.values()))
        versions = [helper.make_opsetid("", 17), helper.make_opsetid(RUNTIME, 1)]
        model = helper.make_model(graph, opset_imports=versions, ir_version=8)
        model.doc_string = hashlib.sha256(self.given.content).hexdigest()
        file.write_bytes(model.SerializeToString(deterministic=True))


def fuse_embedder(weights: Path, out: Path) -> None:
    """Token ids to the vector of the first token. A text stands alone, so nothing is masked."""
    graph, names = Graph(Given(weights), EMBEDDER_NAMES), EMBEDDER_NAMES
    words = graph.embedded(names.words, "Gather", "input_ids")
    side = graph.embedded(names.sides, "Gather", graph.numbers(0))
    x = graph.normal(graph.one("Add", graph.one("Add", words, side), graph.places()), names.norm)
    last = graph.layers() - 1
    for layer in range(last + 1):
        x = graph.layer(x, layer, first_only=layer == last)
    graph.write(out, ["input_ids"], x, "vector")


def fuse_pairs(weights: Path, out: Path) -> None:
    """Token ids and sides of a pair to logits, as `encoder.Judge` has them."""
    graph, names = Graph(Given(weights), JUDGE_NAMES), JUDGE_NAMES
    x = _read(graph, graph.embedded(names.sides, "Gather", "token_type_ids"))
    newer = graph.one("Cast", "token_type_ids", to=TensorProto.FLOAT)
    newer = graph.one("Unsqueeze", newer, graph.numbers(2))
    all_ = graph.one("Cast", graph.numbers(1), to=TensorProto.FLOAT)
    one, two = (_mean(graph, x, part) for part in (graph.one("Sub", all_, newer), newer))
    graph.write(out, ["input_ids", "token_type_ids"], _compared(graph, one, two, 1), "logits")


def fuse_lists(weights: Path, out: Path) -> None:
    """Token ids and parts of a question and facts to logits, as `answers.model.Answers` has them."""
    graph = Graph(Given(weights), JUDGE_NAMES)
    later = graph.one("Greater", "parts", graph.numbers(0))
    later = graph.one("Cast", later, to=TensorProto.INT64)
    x = _read(graph, graph.embedded(JUDGE_NAMES.sides, "Gather", later))
    across = graph.one("Unsqueeze", "parts", graph.numbers(1))
    along = graph.one("Unsqueeze", "numbers", graph.numbers(1))
    of = graph.one("Cast", graph.one("Equal", across, along), to=TensorProto.FLOAT)
    size = graph.one("ReduceSum", of, graph.numbers(2), keepdims=1)
    means = graph.one("Div", graph.one("MatMul", of, x), size)
    one = graph.one("Slice", means, graph.numbers(0), graph.numbers(1), graph.numbers(1))
    end = graph.one("Shape", "numbers")
    two = graph.one("Slice", means, graph.numbers(1), end, graph.numbers(1))
    one = graph.one("Expand", one, graph.one("Shape", two))
    given = ["input_ids", "parts"]
    graph.write(out, given, _compared(graph, one, two, 2), "logits", numbers="numbers")


def _read(graph: Graph, sides: str) -> str:
    """All layers over the tokens."""
    words = graph.embedded(JUDGE_NAMES.words, "Gather", "input_ids")
    whole = graph.one("Add", graph.one("Add", words, graph.places()), sides)
    x = graph.normal(whole, JUDGE_NAMES.norm)
    for layer in range(graph.layers()):
        x = graph.layer(x, layer)
    return x


def _compared(graph: Graph, one: str, two: str, axis: int) -> str:
    """What the head says of two means."""
    apart = graph.one("Abs", graph.one("Sub", one, two))
    both = graph.one("Concat", one, two, apart, graph.one("Mul", one, two), axis=axis)
    return graph.linear(graph.one("Tanh", graph.linear(both, "head.0")), "head.3")


def _mean(graph: Graph, x: str, part: str) -> str:
    """The mean of the tokens of one sentence."""
    along = graph.numbers(1)
    total = graph.one("ReduceSum", graph.one("Mul", x, part), along, keepdims=0)
    return graph.one("Div", total, graph.one("ReduceSum", part, along, keepdims=0))


def main() -> None:
    """Entry point."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    fuse_embedder(EMBEDDER.folder(Settings().models) / "model.onnx", embedder.GRAPH)
    fuse_pairs(judge.FILE, judge.GRAPH)
    fuse_lists(answers.FILE, answers.GRAPH)


if __name__ == "__main__":
    main()
