"""Near-duplicates across a DataFrame: joins on rare tokens, every pair verified."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import Window
from pyspark.sql import functions as sf

from addhash import Similarity, token_sets
from addhash.engines.spark.columns import check_texts
from addhash.errors import ParameterError


class SparkDuplicates(NamedTuple):
    """DataFrames: `pairs` of left and right ids with their similarity; `clusters` of ids."""

    pairs: Any
    clusters: Any


def find_duplicates(
    dataset: Any,
    idCol: str = "id",
    textCol: str = "text",
    *,
    threshold: float = 0.8,
    **cutting: Any,
) -> SparkDuplicates:
    """Find all pairs of near-duplicates among the rows of a DataFrame.

    Texts become sets of hashed n-grams as in ``addhash.find_duplicates``. Two sets that are similar
    enough share one of their rarest tokens, so a join on those finds every pair; each is then
    compared token by token.

    Parameters
    ----------
    dataset : DataFrame
    idCol : str, default="id"
        A column of unique whole numbers or texts; repeated ones are refused.
    textCol : str, default="text"
        A column of texts; rows with a null have no duplicates.
    threshold : float, default=0.8
        The lowest Jaccard similarity of duplicates, above 0 and up to 1.
    **cutting
        `analyzer`, `ngram_range` and `lowercase` of ``addhash.find_duplicates``.

    Returns
    -------
    duplicates : SparkDuplicates
        `pairs` has the columns left, right (left < right) and similarity; `clusters` has id and
        cluster, the lowest id that a chain of pairs leads to, for rows that have duplicates.
    """
    least = Similarity.of("jaccard", threshold).fraction
    check_texts(dataset, textCol)
    kind = dataset.schema[idCol].dataType.simpleString()
    named = dataset.select(sf.col(idCol).alias("id"), sf.col(textCol).alias("text"))
    cut = _cutting(cutting)
    _check_ids(named, idCol)
    rows = named.where("text is not null")
    sets = rows.mapInArrow(cut, f"id {kind}, tokens array<bigint>").persist()
    pairs = _pairs(sets, least).persist()
    return SparkDuplicates(pairs, _clusters(pairs))


def _check_ids(rows: Any, name: str) -> None:
    """Refuse ids that are null or repeated: pairs are told by them."""
    found = rows.groupBy("id").count().where("count > 1 or id is null").limit(1).collect()
    if found:
        what = (
            "a null" if found[0]["id"] is None else f"{found[0]['id']!r} {found[0]['count']} times"
        )
        raise ParameterError(
            f"Expected unique ids in the column {name!r}, got {what}. Make unique ones, such as by"
            " pyspark.sql.functions.monotonically_increasing_id()."
        )


def _cutting(cutting: dict[str, Any]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[Any]]:
    token_sets([], **cutting)  # refuses wrong parameters here rather than on workers

    def cut(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            sizes, hashes = token_sets(batch.column(1), **cutting, n_jobs=1)
            ends = pa.array(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32))
            tokens = pa.ListArray.from_arrays(ends, pa.array(hashes.view(np.int64)))
            yield pa.record_batch({"id": batch.column(0), "tokens": tokens})

    return cut


def _pairs(sets: Any, least: Fraction) -> Any:
    n, d = least.numerator, least.denominator
    tokens = sets.select("id", sf.size("tokens").alias("size"), sf.explode("tokens").alias("token"))
    counts = tokens.groupBy("token").agg(sf.count("*").alias("texts"))
    # A set of `size` tokens may lack size - ceil(t * size) of those of a similar enough one. A
    # token of only one text joins nothing, but still counts among the rare ones.
    rarest = Window.partitionBy("id").orderBy("texts", "token")
    rare = (
        tokens.join(counts, "token")
        .withColumn("place", sf.row_number().over(rarest))
        .where(sf.expr(f"place <= size - div(size * {n}L + {d - 1}L, {d}L) + 1 and texts > 1"))
        .select("id", "size", "token")
    )
    left = rare.select(sf.col("id").alias("left"), sf.col("size").alias("a"), "token")
    right = rare.select(sf.col("id").alias("right"), sf.col("size").alias("b"), "token")
    found = (
        left.join(right, "token")
        .where(sf.expr(f"left < right and least(a, b) * {d}L >= greatest(a, b) * {n}L"))
        .select("left", "right")
        .distinct()
    )
    both = found.join(
        sets.select(sf.col("id").alias("left"), sf.col("tokens").alias("mine")), "left"
    ).join(sets.select(sf.col("id").alias("right"), sf.col("tokens").alias("theirs")), "right")
    shared = sf.size(sf.array_intersect("mine", "theirs"))
    return (
        both.withColumn("shared", shared)
        .withColumn("whole", sf.expr("size(mine) + size(theirs) - shared"))
        .where(sf.expr(f"shared * {d}L >= whole * {n}L"))
        .select("left", "right", sf.expr("double(shared) / whole").alias("similarity"))
    )


def _clusters(pairs: Any) -> Any:
    """Return the lowest id that each id is connected to, by taking the lowest neighbour."""
    forth = pairs.select(sf.col("left").alias("id"), sf.col("right").alias("other"))
    back = pairs.select(sf.col("right").alias("id"), sf.col("left").alias("other"))
    edges = forth.union(back).persist()
    known = edges.groupBy("id").agg(sf.least("id", sf.min("other")).alias("cluster"))
    known = known.localCheckpoint()
    while True:
        # From a neighbour's cluster to that cluster's own: paths halve.
        nearby = edges.join(known.withColumnRenamed("id", "other"), "other")
        best = nearby.groupBy("id").agg(sf.min("cluster").alias("nearest"))
        joined = known.join(best, "id").select(
            "id", "cluster", sf.least("cluster", "nearest").alias("nearest")
        )
        jump = known.select(sf.col("id").alias("nearest"), sf.col("cluster").alias("beyond"))
        moved = (
            joined.join(jump, "nearest", "left")
            .select("id", "cluster", sf.least("nearest", "beyond").alias("next"))
            .localCheckpoint()
        )
        is_done = moved.where("cluster != next").isEmpty()
        known = moved.select("id", sf.col("next").alias("cluster"))
        if is_done:
            edges.unpersist()
            return known
