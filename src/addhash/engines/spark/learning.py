"""Learning on many workers: each learns its rows, and the results are merged in a tree."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql.functions import expr, xxhash64

from addhash import TextClassifier
from addhash.engines.spark.shipping import (
    PARTS,
    ShippedModel,
    models_of,
    parts_of,
    ship,
    task_number,
)
from addhash.errors import ExampleError

# How many models a task in the tree merges, if there are that many.
BRANCHES = 16
# Rows sent to the driver to tune a model.
MOST_EXAMPLES = 2000

Batches = Iterable[pa.RecordBatch]


def learnt(
    dataset: Any, settings: dict[str, Any], text: str, label: str, depth: int
) -> TextClassifier:
    """Return a classifier with some settings that has learnt the rows of a DataFrame.

    The tree has `depth` levels; only its root reaches the driver.
    """
    parts = dataset.select(text, label).mapInArrow(_learning(settings), PARTS)
    for level in reversed(range(depth)):
        parts = _gathered(parts, BRANCHES**level)
        parts = parts.sortWithinPartitions("model", "chunk").mapInArrow(_merge, PARTS)
    return _fetched(parts)


def forgotten(dataset: Any, model: TextClassifier, text: str, label: str) -> TextClassifier:
    """Return a classifier that has forgotten the rows of a DataFrame, in one task."""
    shipped = ship(dataset.sparkSession, model)
    rows = dataset.select(text, label).repartition(1)
    return _fetched(rows.mapInArrow(_forgetting(shipped), PARTS))


def example_rows(dataset: Any, text: str, label: str) -> pa.Table:
    """Return a sample of the rows, the same however they are spread and ordered."""
    rows = dataset.select(text, label)
    # By a hash, then by the rows' content: hashes may be equal.
    return rows.orderBy(xxhash64(text, label), text, label).limit(MOST_EXAMPLES).toArrow()


def _gathered(parts: Any, groups: int) -> Any:
    """Return chunks spread over up to `groups` partitions, each model's in one."""
    group = expr(f"pmod(model, {groups})")
    is_adaptive = parts.sparkSession.conf.get("spark.sql.adaptive.enabled") == "true"
    # Spark then chooses the number of partitions by the size of the chunks.
    return (
        parts.repartition(group) if is_adaptive and groups > 1 else parts.repartition(groups, group)
    )


def _fetched(parts: Any) -> TextClassifier:
    """Return the only model in a DataFrame of chunks."""
    table = parts.toArrow().sort_by([("model", "ascending"), ("chunk", "ascending")])
    found = list(models_of(table.to_batches()))
    if not found:
        raise ExampleError("Expected at least one row to learn, got none.")
    (model,) = found
    model.n_jobs = None
    return model


def _learning(settings: dict[str, Any]) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    def learn(batches: Batches) -> Iterator[pa.RecordBatch]:
        model = TextClassifier(**settings, n_jobs=1)
        is_empty = True
        for batch in batches:
            if batch.num_rows:
                _refuse_nulls(batch)
                model.partial_fit(batch.column(0), batch.column(1))
                is_empty = False
        if not is_empty:
            yield from parts_of(model, task_number())

    return learn


def _merge(batches: Batches) -> Iterator[pa.RecordBatch]:
    whole = None
    for model in models_of(batches):
        whole = model if whole is None else whole.merge(model)
    if whole is not None:
        yield from parts_of(whole, task_number())


def _forgetting(shipped: ShippedModel) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    def forget(batches: Batches) -> Iterator[pa.RecordBatch]:
        # A copy: the worker's models are shared by tasks.
        model = TextClassifier.from_bytes(shipped.get().to_bytes(), n_jobs=1)
        for batch in batches:
            if batch.num_rows:
                _refuse_nulls(batch)
                model.forget(batch.column(0), batch.column(1))
        yield from parts_of(model, 0)

    return forget


def _refuse_nulls(batch: pa.RecordBatch) -> None:
    """Refuse nulls by their column: positions in a batch mean nothing to the caller."""
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if column.null_count:
            raise ExampleError(
                f"Expected examples without nulls, got one in the column {name!r}. Drop such rows:"
                f" df.dropna(subset=[{name!r}])."
            )
