from collections.abc import Iterable
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

_Csr = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[Any]]

class Status(Enum):
    done = ...
    not_text = ...
    surrogate = ...
    too_long = ...
    too_many = ...
    overflow = ...
    fractional = ...
    not_finite = ...
    nan = ...
    infinite = ...
    out_of_range = ...
    too_large = ...

class Failure(ValueError):  # noqa: N818
    status: Status
    position: int

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

class TextOptions:
    def __init__(self, analyzer: str, min_n: int, max_n: int, lowercase: bool) -> None: ...

class TokenWeights:
    def __init__(self, table: npt.NDArray[np.uint8]) -> None: ...
    def of_tokens(self, tokens: TokenBatch) -> npt.NDArray[np.uint8]: ...

UNIT_WEIGHT: int

def sublinear_weight(weight: int, count: int) -> int: ...

class SumOptions:
    def __init__(
        self,
        randomizer: Randomizer,
        *,
        is_signed: bool = True,
        is_binary: bool = False,
        norm: str = "none",
        as_bits: bool = False,
        weights: TokenWeights | None = None,
        is_sublinear: bool = False,
    ) -> None: ...

class BucketOptions:
    def __init__(
        self,
        n_features: int,
        *,
        alternate_sign: bool = True,
        is_binary: bool = False,
        norm: str = "none",
        single: bool = False,
    ) -> None: ...

def vectorize_texts(
    documents: list[str],
    cut: TextOptions,
    options: SumOptions,
    *,
    out: npt.NDArray[Any],
    threads: int,
) -> None: ...
def vectorize_tokens(
    tokens: TokenBatch, options: SumOptions, *, out: npt.NDArray[Any], threads: int
) -> None: ...
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

class ClassCounts:
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def change(
        self, rows: TokenRows, labels: npt.NDArray[np.uint32], is_forgetting: bool
    ) -> ClassCounts: ...
    def add(
        self,
        buckets: npt.NDArray[np.uint32],
        labels: npt.NDArray[np.uint32],
        counts: npt.NDArray[np.int64],
    ) -> ClassCounts: ...
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
    documents: list[str], cut: TextOptions, options: BucketOptions, *, threads: int
) -> TokenRows: ...
def count_token_batch(tokens: TokenBatch, options: BucketOptions) -> TokenRows: ...
def token_rows_of_csr(
    starts: npt.NDArray[np.int64],
    buckets: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    n_features: int,
) -> TokenRows: ...
def count_texts(
    documents: list[str], cut: TextOptions, options: BucketOptions, *, threads: int
) -> _Csr: ...
def count_tokens(tokens: TokenBatch, options: BucketOptions, *, threads: int) -> _Csr: ...
def place_tokens(tokens: TokenBatch, options: BucketOptions) -> _Csr: ...
def empty_bytes(count: int) -> npt.NDArray[np.uint8]: ...
def kept_bytes() -> int: ...
def release_memory() -> int: ...
def digests(tokens: TokenBatch, randomizer: Randomizer) -> npt.NDArray[np.uint8]: ...
def murmurhash3(tokens: TokenBatch, seed: int) -> npt.NDArray[np.uint32]: ...
def tokens_of(text: str, cut: TextOptions) -> list[bytes]: ...
def token_count(text: str, cut: TextOptions) -> int: ...

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
) -> tuple[
    npt.NDArray[np.int8],
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
    npt.NDArray[np.uint8],
]: ...
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
def sum_digits(
    vectors: npt.NDArray[Any],
    groups: npt.NDArray[np.int64],
    n_groups: int,
    is_negative: bool,
    threads: int,
) -> tuple[int, npt.NDArray[np.int64]]: ...

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
    ) -> None: ...
    def add_arrays(self, sizes: npt.NDArray[np.uint32], hashes: npt.NDArray[np.uint64]) -> None: ...
    def sizes(self, first: int, last: int) -> npt.NDArray[np.uint32]: ...
    def hashes(self, first: int, last: int) -> npt.NDArray[np.uint64]: ...
    def digests(self, first: int, last: int) -> npt.NDArray[np.uint64]: ...
    def shared(
        self, left: npt.NDArray[np.uint32], right: npt.NDArray[np.uint32], threads: int
    ) -> npt.NDArray[np.uint32]: ...

_Numbers = npt.NDArray[np.uint32]

def unit_spans(text: str) -> list[tuple[int, int]]: ...
def join_sets(
    sets: TokenSets,
    *,
    measure: str,
    numerator: int,
    denominator: int,
    boundary: int | None,
    most_pairs: int,
    threads: int,
) -> tuple[_Numbers, _Numbers, _Numbers, _Numbers, bool]: ...
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
