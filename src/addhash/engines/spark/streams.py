"""Learning from a stream: every batch once, even if it is delivered twice."""

import os
from collections.abc import Callable
from typing import Any

import addhash
from addhash.engines.spark.columns import local_path
from addhash.engines.spark.learning import learnt
from addhash.engines.spark.text_classifier import TextClassifier
from addhash.errors import ParameterError

BATCH, QUERY, DIGEST = "stream batch", "stream query", "stream batch digest"


def learn_stream(
    estimator: TextClassifier, path: Any, *, accept_new_query: bool = False
) -> Callable[[Any, int], None]:
    """Return a function for ``foreachBatch`` that learns each batch into a file.

    The file records the number and the digest of the last batch and the id of its query with the
    model, and is replaced atomically: a batch that Spark delivers again after a failure is learnt
    once. Batches of another query, or after a new checkpoint, have numbers that start again; they
    are refused rather than taken for batches that were learnt before.

    Parameters
    ----------
    estimator : TextClassifier
        What to learn from which columns.
    path : str or path-like
        The model file, for ``addhash.TextClassifier.load``, on the machine where the function runs:
        the driver's. It is created with the first rows.
    accept_new_query : bool, default=False
        Whether a query with a new checkpoint may go on with the file. All of its rows are learnt,
        also those that an earlier query has learnt before.

    Returns
    -------
    learn : function of a DataFrame and a batch id
    """
    settings, depth = estimator.settings(), estimator.getOrDefault(estimator.aggregationDepth)
    addhash.TextClassifier(**settings).partial_fit([], [])  # refuses them now, not in the stream
    text, label = estimator.getInputCol(), estimator.getLabelCol()
    place = local_path(path)

    def learn(rows: Any, batch: int) -> None:
        known = addhash.TextClassifier.load(place) if os.path.exists(place) else None
        if rows.isEmpty():
            return
        model = learnt(rows, settings, text, label, depth)
        query, digest = _query_of(rows), model.digest()
        if known is not None:
            last = int(known.metadata.get(BATCH, -1))
            before = known.metadata.get(QUERY, query)
            is_same = before == query
            # What 0.2 wrote has no digest: the number must do.
            if is_same and batch == last and known.metadata.get(DIGEST, digest) == digest:
                return  # delivered again
            if (not is_same or batch <= last) and not accept_new_query:
                raise ParameterError(
                    f"Batch {batch} came after batch {last}, which {place} has learnt: it is of"
                    " another query, or the checkpoint is new. Nothing was learnt. Use another"
                    " file, or pass accept_new_query=True to learn all of its rows."
                )
            model = known.merge(model)
        model.save(place, metadata={BATCH: str(batch), QUERY: query, DIGEST: digest})

    return learn


def _query_of(rows: Any) -> str:
    """Return the id of the streaming query that a batch is of; empty where Spark tells none."""
    try:
        return rows.sparkSession.sparkContext.getLocalProperty("sql.streaming.queryId") or ""
    except Exception:  # a Connect session has no context, and says so in various ways
        return ""
