from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

# What went wrong, and in which document of the batch.
_Failure = tuple[str, int]
_Csr = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[Any]]

class TokenBatch:
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    @property
    def byte_count(self) -> int: ...
    def append_strings(self, document: Iterable[str | bytes]) -> None: ...
    def append_pairs(self, document: Iterable[tuple[Any, Any]]) -> None: ...

class Randomizer:
    def __init__(self, kind: str, bits: int, key: bytes) -> None: ...
    @property
    def bits(self) -> int: ...

def vectorize_texts(
    documents: list[str],
    *,
    analyzer: str,
    min_n: int,
    max_n: int,
    lowercase: bool,
    randomizer: Randomizer,
    is_signed: bool,
    is_binary: bool,
    norm: str,
    as_bits: bool,
    out: npt.NDArray[Any],
    threads: int,
) -> _Failure | None: ...
def vectorize_tokens(
    tokens: TokenBatch,
    *,
    randomizer: Randomizer,
    is_signed: bool,
    is_binary: bool,
    norm: str,
    as_bits: bool,
    out: npt.NDArray[Any],
    threads: int,
) -> _Failure | None: ...
def edit_sums(
    sums: npt.NDArray[np.int64],
    randomizer: Randomizer,
    tokens: tuple[str | bytes, ...],
    weights: tuple[int, ...],
) -> None: ...
NO_PREFIX: int

class TokenRows:
    def __len__(self) -> int: ...
    @property
    def lengths(self) -> npt.NDArray[np.int64]: ...
    @staticmethod
    def joined(parts: list[TokenRows]) -> TokenRows: ...

class TokenCounts:
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def change(
        self, rows: TokenRows, labels: npt.NDArray[np.uint32], is_forgetting: bool
    ) -> TokenCounts | _Failure: ...
    def add(
        self,
        buckets: npt.NDArray[np.uint32],
        labels: npt.NDArray[np.uint32],
        counts: npt.NDArray[np.int64],
    ) -> TokenCounts | _Failure: ...
    def arrays(
        self,
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.int64]]: ...
    def scores(
        self,
        rows: TokenRows,
        tokens: npt.NDArray[np.int64],
        texts: npt.NDArray[np.int64],
        smoothing: float,
        labels: npt.NDArray[np.uint32] | None,
        threads: int,
    ) -> npt.NDArray[np.int64]: ...
    def best(
        self,
        rows: TokenRows,
        tokens: npt.NDArray[np.int64],
        texts: npt.NDArray[np.int64],
        smoothing: float,
        labels: npt.NDArray[np.uint32] | None,
        rate: float,
        threads: int,
    ) -> tuple[
        npt.NDArray[np.int64],
        npt.NDArray[np.int64],
        npt.NDArray[np.int64],
        npt.NDArray[np.int64],
        npt.NDArray[np.float64],
    ]: ...
    def explain(
        self,
        buckets: npt.NDArray[np.uint32],
        prefixes: npt.NDArray[np.uint32],
        times: npt.NDArray[np.int64],
        tokens: npt.NDArray[np.int64],
        texts: npt.NDArray[np.int64],
        smoothing: float,
        label: int,
    ) -> tuple[npt.NDArray[np.int64], int]: ...

def count_token_rows(
    documents: list[str],
    *,
    analyzer: str,
    min_n: int,
    max_n: int,
    lowercase: bool,
    n_features: int,
    is_binary: bool,
    threads: int,
) -> TokenRows | _Failure: ...
def count_token_batch(tokens: TokenBatch, *, n_features: int, is_binary: bool) -> TokenRows: ...
def token_rows_of_csr(
    starts: npt.NDArray[np.int64],
    buckets: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    n_features: int,
) -> TokenRows: ...
def count_texts(
    documents: list[str],
    *,
    analyzer: str,
    min_n: int,
    max_n: int,
    lowercase: bool,
    n_features: int,
    alternate_sign: bool,
    is_binary: bool,
    norm: str,
    single: bool,
    threads: int,
) -> _Csr | _Failure: ...
def count_tokens(
    tokens: TokenBatch,
    *,
    n_features: int,
    alternate_sign: bool,
    is_binary: bool,
    norm: str,
    single: bool,
    threads: int,
) -> _Csr: ...
def place_tokens(tokens: TokenBatch, *, n_features: int, alternate_sign: bool) -> _Csr: ...
def empty_bytes(count: int) -> npt.NDArray[np.uint8]: ...
def kept_bytes() -> int: ...
def release_memory() -> int: ...
def digests(tokens: TokenBatch, randomizer: Randomizer) -> npt.NDArray[np.uint8]: ...
def murmurhash3(tokens: TokenBatch, seed: int) -> npt.NDArray[np.uint32]: ...
def tokens_of(
    text: str, *, analyzer: str, min_n: int, max_n: int, lowercase: bool
) -> list[bytes] | _Failure: ...
def token_count(
    text: str, *, analyzer: str, min_n: int, max_n: int, lowercase: bool
) -> int | _Failure: ...

class Rows:
    def __init__(
        self,
        codes: npt.NDArray[np.int8],
        scales: npt.NDArray[np.float64],
        norms: npt.NDArray[np.float64],
        slacks: npt.NDArray[np.float64],
        places: npt.NDArray[np.int64],
        tails: npt.NDArray[np.int8],
        wides: npt.NDArray[Any],
    ) -> None: ...

def encode(
    vectors: npt.NDArray[Any], threads: int
) -> (
    tuple[
        npt.NDArray[np.int8],
        npt.NDArray[np.float64],
        npt.NDArray[np.float64],
        npt.NDArray[np.float64],
        npt.NDArray[np.uint8],
    ]
    | _Failure
): ...
def search(
    rows: Rows,
    queries: Rows,
    ranks: npt.NDArray[np.int64] | None,
    groups: npt.NDArray[np.int64] | None,
    excluded: npt.NDArray[np.int64] | None,
    k: int,
    threads: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]: ...
def available_instruction_sets() -> list[str]: ...
def active_instruction_set() -> str: ...
def choose_instruction_set(name: str) -> None: ...
def choose_widest_instruction_set() -> None: ...
def instruction_set_uses() -> dict[str, int]: ...
