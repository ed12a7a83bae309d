"""Loads ONNX models, to run on one thread without accelerators or telemetry, and their tokenizers.

The runtime reports to its vendor unless telemetry is off before it is imported, so it is imported
only here.
"""

import os
from pathlib import Path
from typing import Any

_WEIGHTS_FOLDER = "session.model_external_initializers_file_folder_path"


def session(model: Path, weights: Path | None = None) -> Any:
    """A model that is ready to run.

    A graph without weights takes them out of the folder *weights* (decision 37). They are mapped, so what
    the model does not read stays on disk.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # noqa: TID251 - set, not read
    import onnxruntime  # loaded only where a model runs

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if weights is not None:
        options.add_session_config_entry(_WEIGHTS_FOLDER, str(weights))
    given = model.read_bytes()
    return onnxruntime.InferenceSession(given, options, providers=["CPUExecutionProvider"])


def tokenizer(file: Path, tokens_max: int) -> Any:
    """A model's tokenizer, without padding, because texts run one at a time.

    Activations are quantised per run, so a model's output for a text would depend on the rest of a batch.
    """
    from tokenizers import Tokenizer

    made = Tokenizer.from_file(str(file))
    made.enable_truncation(tokens_max)
    made.no_padding()
    return made
