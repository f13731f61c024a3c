"""Learning from a stream: every batch once, even if it is delivered twice."""

import os
from collections.abc import Callable
from typing import Any

import addhash
from addhash.engines.spark.learning import learnt
from addhash.engines.spark.text_classifier import TextClassifier

__all__ = ["learn_stream"]

BATCH = "stream batch"


def learn_stream(estimator: TextClassifier, path: Any) -> Callable[[Any, int], None]:
    """Return a function for ``foreachBatch`` that learns each batch into a file.

    The file records the number of the last batch with the model and is replaced atomically, so a
    batch that Spark delivers again after a failure is learnt once.

    Parameters
    ----------
    estimator : TextClassifier
        What to learn from which columns.
    path : str or path-like
        The model file, for ``addhash.TextClassifier.load``, on the machine where the function runs:
        the driver's. It is created with the first rows.

    Returns
    -------
    learn : function of a DataFrame and a batch id
    """
    settings, depth = estimator.settings(), estimator.getOrDefault(estimator.aggregationDepth)
    text, label = estimator.getInputCol(), estimator.getLabelCol()
    place = os.fspath(path)

    def learn(rows: Any, batch: int) -> None:
        known = addhash.TextClassifier.load(place) if os.path.exists(place) else None
        if known is not None and int(known.metadata.get(BATCH, -1)) >= batch:
            return
        try:
            model = learnt(rows, settings, text, label, depth)
        except addhash.errors.ExampleError:  # it has no rows
            return
        if known is not None:
            model = known.merge(model)
        model.save(place, metadata={BATCH: str(batch)})

    return learn
