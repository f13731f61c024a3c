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

class TokenSets:
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    @property
    def tokens(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    def add_texts(
        self,
        documents: list[str],
        *,
        analyzer: str,
        min_n: int,
        max_n: int,
        lowercase: bool,
        threads: int,
    ) -> _Failure | None: ...
    def add_arrays(self, sizes: npt.NDArray[np.uint32], hashes: npt.NDArray[np.uint64]) -> None: ...
    def sizes(self, first: int, last: int) -> npt.NDArray[np.uint32]: ...
    def hashes(self, first: int, last: int) -> npt.NDArray[np.uint64]: ...
    def digests(self, first: int, last: int) -> npt.NDArray[np.uint64]: ...
    def shared(
        self, left: npt.NDArray[np.uint32], right: npt.NDArray[np.uint32], threads: int
    ) -> npt.NDArray[np.uint32]: ...

_Numbers = npt.NDArray[np.uint32]

def unit_spans(text: str) -> list[tuple[int, int]] | _Failure: ...
def join_sets(
    sets: TokenSets,
    *,
    measure: str,
    numerator: int,
    denominator: int,
    boundary: int | None,
    threads: int,
) -> tuple[_Numbers, _Numbers, _Numbers, _Numbers, int]: ...
def group_items(
    items: _Numbers, others: _Numbers, *, count: int, is_connected: bool
) -> _Numbers: ...

_Ids = npt.NDArray[np.int64]
_State = tuple[_Ids, _Numbers, _Numbers, npt.NDArray[np.uint64], _Numbers, _Ids, int]

class Collection:
    def __init__(self, *, measure: str, numerator: int, denominator: int) -> None: ...
    def __len__(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def next_id(self) -> int: ...
    def has(self, ids: _Ids) -> npt.NDArray[np.bool_]: ...
    def change(self, *, remove: _Ids, add: _Ids, sets: TokenSets, threads: int) -> None: ...
    def query(
        self, sets: TokenSets, *, threads: int
    ) -> tuple[_Numbers, _Ids, _Numbers, _Numbers]: ...
    def pairs(self) -> tuple[_Ids, _Ids, _Numbers, _Numbers, _Numbers]: ...
    def placed(self) -> tuple[_Ids, _Ids, _Ids, _Numbers, _Numbers, _Numbers]: ...
    def state(self) -> _State: ...
    def restore(
        self,
        ids: _Ids,
        sets: _Numbers,
        sizes: _Numbers,
        hashes: npt.NDArray[np.uint64],
        leaders: _Numbers,
        clusters: _Ids,
        next_id: int,
        *,
        threads: int,
    ) -> bool: ...
