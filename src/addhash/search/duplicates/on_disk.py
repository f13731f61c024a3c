"""Sets of more texts than fit in memory: kept in files, compared block by block."""

import errno
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.arrays import Ids
from addhash.errors import ParameterError
from addhash.files.whole import whole_file
from addhash.files.work_folder import WorkFolder
from addhash.progress import Progress
from addhash.runtime import native
from addhash.search.duplicates.blocks import BlockPlan, first_equal
from addhash.search.duplicates.grouping import SimilarSets
from addhash.search.duplicates.memory_limit import memory_in_use
from addhash.search.duplicates.similarity import Similarity
from addhash.search.duplicates.token_sets import Cutting
from addhash.search.text_digest import TextDigest
from addhash.text.reading import batches

Numbers = npt.NDArray[np.uint32]

FORMAT = 1
# What a text takes while equal sets are found and while clusters are made.
BYTES_PER_TEXT = 96
# Shares of the memory: for one join of two blocks, and for a piece of a file.
JOINED = 0.75
PIECE = 1 << 20
# Texts and characters processed at a time, and seconds between two saves of the progress.
CUT_TEXTS = 4096
CUT_CHARACTERS = 1 << 21
SECONDS = 5.0
FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)


class SetsOnDisk:
    """The sets of texts, in a folder.

    `sizes`, `digests` and `hashes` hold one set after the other, in the order of the texts. Equal
    sets are recognised by 128-bit digests. Distinct sets are then spread over blocks by size, so
    that two blocks fit in memory; every two blocks that can contain similar sets are joined, and
    each join leaves a file of pairs. `state.json` records what is done: an interrupted run resumes
    from there.
    """

    def __init__(
        self, folder: Path, cutting: Cutting, similarity: Similarity, memory: int, threads: int
    ) -> None:
        self._folder = folder
        self._cutting = cutting
        self._similarity = similarity
        self._threads = threads
        self._memory = memory
        self._budget = memory - memory_in_use()
        if self._budget < 32 << 20:
            raise self._too_little(
                f", but this process holds {memory_in_use():,} already; at least {32 << 20:,} more"
                " are needed."
            )
        self._work = WorkFolder(folder, "find_duplicates")
        self._state = self._resumed()

    def _resumed(self) -> dict[str, Any]:
        """Return the state left by an earlier run, as far as it is useful to this one."""
        fresh = {
            "format": FORMAT,
            "cutting": self._cutting.native_options,
            "texts": 0,
            "tokens": 0,
            "digest": "",
            "is_read": False,
            "similarity": self._similarity.native_options,
            "memory": self._memory,
            "blocks": None,
            "references": None,
        }
        state = self._work.state(fresh.keys())
        if state is None:
            return fresh
        if any(state[name] != fresh[name] for name in ("format", "cutting")):
            return fresh
        if any(state[name] != fresh[name] for name in ("similarity", "memory")):
            state |= {name: fresh[name] for name in ("similarity", "memory", "blocks")}
        return state

    def _too_little(self, why: str) -> ParameterError:
        return ParameterError.of("find_duplicates", "memory", f"is {self._memory:,} bytes{why}")

    def _path(self, name: str) -> Path:
        return self._folder / name

    def _save_state(self, **changes: Any) -> None:
        self._state |= changes
        self._work.save(self._state)

    def read(self, texts: Iterable[Any], total: int | None, progress: Progress) -> int:
        """Process all texts, or those that an earlier run did not, and return their number."""
        state = self._state
        # Only reading the finished texts shows whether they are still the same.
        remaining, digest = self._skip(texts, state["texts"])
        if digest != state["digest"]:
            raise self._other_texts()
        if state["is_read"]:
            if list(islice(remaining, 1)):
                raise self._other_texts()
            return int(state["texts"])
        widths = {"sizes": 4, "digests": 16}
        with self._writing(), _appending(self._folder, state, widths) as files:
            known = TextDigest(digest)
            saved = time.monotonic()
            for batch in _small_batches(remaining):
                sets = native.TokenSets()
                start = state["texts"]
                self._cutting.add(sets, batch, start, self._threads)
                files["sizes"].write(sets.sizes(0, len(sets)).tobytes())
                files["digests"].write(sets.digests(0, len(sets)).tobytes())
                files["hashes"].write(sets.hashes(0, len(sets)).tobytes())
                known.add(batch)
                state["texts"] += len(batch)
                state["tokens"] += sets.tokens
                progress("read", state["texts"], total)
                if time.monotonic() - saved > SECONDS:
                    _sync(files)
                    self._save_state(digest=known.value)
                    saved = time.monotonic()
            _sync(files)
            self._save_state(digest=known.value, is_read=True)
        return int(state["texts"])

    def _skip(self, texts: Iterable[Any], count: int) -> tuple[Iterator[Any], str]:
        """Skip texts that are done, and return the others and a digest of the skipped ones."""
        remaining = iter(texts)
        known = TextDigest("")
        for text in islice(remaining, count):
            known.add([text])
        return remaining, known.value

    def _other_texts(self) -> ParameterError:
        return ParameterError(
            f"The folder {str(self._folder)!r} contains a run over other texts; choose another"
            " one, or remove it."
        )

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Give details about a full disk."""
        try:
            yield
        except OSError as error:
            if error.errno not in FULL:
                raise
            raise OSError(
                error.errno,
                f"No room left for the {self._state['texts']:,} texts read so far"
                f" ({self._state['tokens'] * 8:,} bytes, and as much again later). Free some"
                " space or choose another folder; the input was not touched, and the run resumes"
                " when it is started again",
                str(self._folder),
            ) from error

    def join(self, references: int | None, progress: Progress) -> SimilarSets:
        """Find all similar sets; with references, only pairs of a reference and another text."""
        count = self._state["texts"]
        needed = self._memory - self._budget + BYTES_PER_TEXT * count
        if needed > self._memory:
            raise self._too_little(f"; {count:,} texts need at least {needed:,}.")
        with self._writing():
            if self._state["blocks"] is None:
                self._make_blocks()
            if self._state["references"] != references:
                self._work.drop("pairs-*")
                self._save_state(references=references)
            self._join_blocks(references, progress)
        first = np.fromfile(self._path("firsts"), "<u4")
        sizes = np.fromfile(self._path("sizes"), "<u4")
        left, right, shared = self._all_pairs()
        return SimilarSets(first, sizes, left, right, shared)

    def _make_blocks(self) -> None:
        # First on disk: whoever resumes after a kill must not expect the files that are dropped.
        self._save_state(blocks=None)
        self._work.drop("block-*", "pairs-*")
        first = first_equal(np.fromfile(self._path("digests"), "<u8").reshape(-1, 2))
        first.tofile(self._path("firsts"))
        is_first = first == np.arange(len(first), dtype=np.uint32)
        del first
        sizes = np.fromfile(self._path("sizes"), "<u4")
        plan = BlockPlan(sizes[is_first], self._similarity, self._budget * JOINED / 2)
        self._spread(sizes, is_first, plan)
        self._save_state(blocks=plan.ranges)

    def _spread(self, sizes: Numbers, is_first: npt.NDArray[np.bool_], plan: BlockPlan) -> None:
        """Write the distinct sets to the files of their blocks."""
        ends = np.cumsum(sizes, dtype=np.int64)
        with open(self._path("hashes"), "rb") as hashes, open(self._path("digests"), "rb") as names:
            for start, end, tokens in _pieces(hashes, sizes):
                before = int(ends[start - 1]) if start else 0
                digests = np.fromfile(names, "<u8", 2 * (end - start))[::2]
                chosen = np.flatnonzero(is_first[start:end])
                blocks = plan.blocks(sizes[start:end][chosen], digests[chosen])
                order = np.argsort(blocks, kind="stable")
                chosen, blocks = chosen[order], blocks[order]
                for block in np.unique(blocks):
                    mine = chosen[blocks == block]
                    lengths = sizes[start + mine].astype(np.int64)
                    starts = ends[start + mine] - lengths - before
                    places = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
                    places += np.arange(len(places))
                    self._append(f"block-{block}-hashes", tokens[places])
                    self._append(f"block-{block}-sizes", lengths.astype(np.uint32))
                    self._append(f"block-{block}-texts", (start + mine).astype(np.uint32))

    def _append(self, name: str, values: npt.NDArray[Any]) -> None:
        with open(self._path(name), "ab") as file:
            file.write(values.tobytes())

    def _join_blocks(self, references: int | None, progress: Progress) -> None:
        blocks = self._state["blocks"]
        used = [self._path(f"block-{block}-texts").exists() for block in range(len(blocks))]
        work = [
            (a, b)
            for b, (least, _) in enumerate(blocks)
            for a, (_, most) in enumerate(blocks[: b + 1])
            if used[a] and used[b] and most >= self._similarity.least_size(least)
        ]
        for done, (a, b) in enumerate(work):
            progress("compare", done, len(work))
            path = self._path(f"pairs-{a}-{b}")
            if not path.exists():
                pairs = self._join_two(a, b, references)
                with whole_file(path) as file:
                    file.write(pairs.tobytes())
        progress("compare", len(work), len(work))

    def _join_two(self, a: int, b: int, references: int | None) -> Numbers:
        """Return the pairs of two blocks, or inside one."""
        sets = native.TokenSets()
        texts = [self._load(sets, a)]
        boundary = None
        if a != b:
            boundary = len(sets)
            texts.append(self._load(sets, b))
        numbers = np.concatenate(texts)
        # They are in memory in several forms at once.
        most = int(self._budget * (1 - JOINED) / 64)
        _, left, right, shared, is_complete = native.join_sets(
            sets,
            **self._similarity.native_options,
            boundary=boundary,
            most_pairs=most,
            threads=self._threads,
        )
        del sets
        if not is_complete:
            raise self._too_little(
                f"; there are more than {most:,} pairs in one of its parts. Raise it, or raise the"
                " threshold."
            )
        one, other = numbers[left], numbers[right]
        pairs = np.stack([np.minimum(one, other), np.maximum(one, other), shared], axis=1)
        if references is not None:
            pairs = self._across(pairs, references)
        return np.ascontiguousarray(pairs, "<u4")

    def _across(self, pairs: Numbers, references: int) -> Numbers:
        """Keep pairs of a set with a reference and a set with a text."""
        first = np.fromfile(self._path("firsts"), "<u4")
        sides = np.zeros(len(first), np.uint8)
        sides[first[:references]] |= 1
        sides[first[references:]] |= 2
        left, right = sides[pairs[:, 0]], sides[pairs[:, 1]]
        return pairs[((left & 1) & (right >> 1)) | ((left >> 1) & (right & 1)) > 0]

    def _load(self, sets: native.TokenSets, block: int) -> Numbers:
        sizes = np.fromfile(self._path(f"block-{block}-sizes"), "<u4")
        with open(self._path(f"block-{block}-hashes"), "rb") as file:
            for start, end, tokens in _pieces(file, sizes):
                sets.add_arrays(sizes[start:end], tokens)
        return np.fromfile(self._path(f"block-{block}-texts"), "<u4")

    def _all_pairs(self) -> tuple[Numbers, Numbers, Numbers]:
        paths = sorted(self._folder.glob("pairs-*"))
        total = sum(path.stat().st_size for path in paths)
        # The pairs, their order, and a copy in that order; then the same again for clusters.
        if 8 * total + BYTES_PER_TEXT * self._state["texts"] > self._budget:
            raise self._too_little(
                f"; the {total // 12:,} pairs found need {8 * total:,} of them. Raise it, or raise"
                " the threshold."
            )
        pairs = np.concatenate(
            [np.empty((0, 3), "<u4"), *(np.fromfile(p, "<u4").reshape(-1, 3) for p in paths)]
        )
        pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
        left, right, shared = (np.ascontiguousarray(column) for column in pairs.T)
        return left, right, shared

    def shared(self, left: Ids, right: Ids) -> Numbers:
        """Return how many tokens each pair of texts shares."""
        sizes = np.fromfile(self._path("sizes"), "<u4")
        ends = np.cumsum(sizes, dtype=np.int64)
        needed = np.unique(np.concatenate([left, right]))
        shared = np.empty(len(left), np.uint32)
        with open(self._path("hashes"), "rb") as file:
            sets: dict[int, npt.NDArray[np.uint64]] = {}
            for text in needed.tolist():
                file.seek(8 * int(ends[text] - sizes[text]))
                sets[text] = np.fromfile(file, "<u8", int(sizes[text]))
        for i, (a, b) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            shared[i] = len(np.intersect1d(sets[a], sets[b], assume_unique=True))
        return shared


def _pieces(file: Any, sizes: Numbers) -> Iterator[tuple[int, int, npt.NDArray[np.uint64]]]:
    """Yield ranges of sets that are worth reading at once, with their tokens."""
    ends = np.cumsum(sizes, dtype=np.int64)
    start = 0
    while start < len(sizes):
        before = int(ends[start - 1]) if start else 0
        end = max(start + 1, int(np.searchsorted(ends, before + PIECE)))
        yield start, end, np.fromfile(file, "<u8", int(ends[end - 1]) - before)
        start = end


def _sync(files: dict[str, Any]) -> None:
    """Wait until everything written is on disk."""
    for file in files.values():
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _appending(
    folder: Path, state: dict[str, Any], widths: dict[str, int]
) -> Iterator[dict[str, Any]]:
    """Open the files of sets after what the state records; the rest was not finished."""
    lengths = {name: width * state["texts"] for name, width in widths.items()}
    lengths["hashes"] = 8 * state["tokens"]
    files: dict[str, Any] = {}
    try:
        for name, length in lengths.items():
            files[name] = open(folder / name, "ab")  # noqa: SIM115
            if os.path.getsize(folder / name) < length:
                raise ParameterError(
                    f"The file {str(folder / name)!r} is shorter than its run recorded; remove"
                    " the folder and start again."
                )
            files[name].truncate(length)
        yield files
    finally:
        for file in files.values():
            file.close()


def _small_batches(texts: Iterator[Any]) -> Iterator[list[Any]]:
    """Yield batches of texts that take little memory when processed."""
    for batch in batches(texts, CUT_TEXTS):
        start, characters = 0, 0
        for i, text in enumerate(batch):
            characters += len(text) if isinstance(text, str | bytes) else 0
            if characters > CUT_CHARACTERS:
                yield batch[start : i + 1]
                start, characters = i + 1, 0
        if start < len(batch):
            yield batch[start:]
