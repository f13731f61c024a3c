"""Text classifiers in files, in an order that their history does not change."""

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from addhash.centroids import CentroidClassifier
from addhash.errors import ParameterError
from addhash.model_arrays import (
    Parts,
    checking,
    classes_to_array,
    member,
    rows_to_arrays,
    texts_to_arrays,
)
from addhash.model_files import read_model, write_model
from addhash.neighbors import NearestNeighborClassifier
from addhash.parameters import TEXT_CLASSIFIER, check_values
from addhash.saved_vectorizers import CALLABLES, describe_vectorizer, restore_vectorizer

__all__ = ["load_text_classifier", "save_text_classifier"]

KIND = "TextClassifier"


def save_text_classifier(classifier: Any, path: Any) -> None:
    """Write a fitted classifier to a file."""
    threshold = classifier.reject_below
    about = {
        "method": classifier.method,
        "reject_below": None if threshold is None else float(threshold),
        "keep_texts": classifier._texts is not None,
        "vectorizer": describe_vectorizer(classifier._vectorizer()),
    }
    write_model(path, KIND, about, _arrays(classifier))


def _arrays(classifier: Any) -> dict[str, npt.NDArray[Any]]:
    model = classifier._model
    if isinstance(model, CentroidClassifier):
        return model._arrays()
    order = classifier._order()
    arrays = rows_to_arrays(model._growing.rows.take(order)) | {
        "labels": model._codes[order],
        "classes": classes_to_array(model.classes_),
        "declared": classes_to_array(None),
    }
    if classifier._texts is not None:
        arrays |= texts_to_arrays([classifier._texts[i] for i in order.tolist()])
    return arrays


def load_text_classifier(
    kind: Any, path: Any, key: bytes | None, n_jobs: int | None, functions: Mapping[str, Any]
) -> Any:
    """Load a classifier of the class `kind`."""
    check_values(f"{KIND}.load", TEXT_CLASSIFIER, {"n_jobs": n_jobs})
    unknown = set(functions) - set(CALLABLES)
    if unknown:
        raise ParameterError(
            f"{KIND}.load takes the functions {', '.join(CALLABLES)}."
            f" Got {', '.join(sorted(unknown))} instead."
        )
    about, arrays = read_model(path, KIND)
    with checking(path):
        if about.keys() != {"method", "reject_below", "keep_texts", "vectorizer"}:
            raise ValueError("its description is not that of a text classifier")
        vectorizer = restore_vectorizer(member(about, "vectorizer", dict), key, functions)
        result = kind(
            member(about, "method", str),
            vectorizer=vectorizer,
            reject_below=member(about, "reject_below", float, type(None)),
            keep_texts=member(about, "keep_texts", bool),
        )
        try:
            result._check()
        except ParameterError as error:
            raise ValueError(str(error)) from error
        result.n_jobs = n_jobs
        parts = Parts(arrays)
        model = result._new_model()
        model.n_features_in_ = int(vectorizer.n_features)
        model._restore(parts, model.n_features_in_)
        has_texts = isinstance(model, NearestNeighborClassifier) and result.keep_texts
        result._set(model, parts.texts(len(model._codes)) if has_texts else None)
        parts.finish()
    return result
