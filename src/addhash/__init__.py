"""Text and records to vectors by adding hashes: no vocabulary, no training, exact sums.

>>> from addhash import AdditiveHashingVectorizer
>>> vectors = AdditiveHashingVectorizer().transform(["John likes movies", "Mary likes movies"])
>>> vectors.shape
(2, 2048)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Where each public name lives. Names are loaded on first use: importing addhash stays light.
_HOMES = {
    "AdditiveFeatureHasher": "addhash.additive_records",
    "AdditiveHashingVectorizer": "addhash.additive_text",
    "CentroidClassifier": "addhash.centroids",
    "DocumentHash": "addhash.document_hash",
    "DuplicateIndex": "addhash.search.duplicates.index",
    "FeatureHasher": "addhash.trick_records",
    "HashingVectorizer": "addhash.trick_text",
    "Index": "addhash.index",
    "NearestNeighborClassifier": "addhash.neighbors",
    "RollingHash": "addhash.streams",
    "TextClassifier": "addhash.text_classifier",
    "errors": "addhash.errors",
    "find_duplicates": "addhash.search.duplicates.finding",
    "info": "addhash.core",
    "paper": "addhash.paper",
    "set_instruction_set": "addhash.core",
    "sum_documents": "addhash.streams",
    "tree_merge": "addhash.streams",
}

__all__ = [
    "AdditiveFeatureHasher",
    "AdditiveHashingVectorizer",
    "CentroidClassifier",
    "DocumentHash",
    "DuplicateIndex",
    "FeatureHasher",
    "HashingVectorizer",
    "Index",
    "NearestNeighborClassifier",
    "RollingHash",
    "TextClassifier",
    "errors",
    "find_duplicates",
    "info",
    "paper",
    "set_instruction_set",
    "sum_documents",
    "tree_merge",
]

if TYPE_CHECKING:
    from addhash import errors, paper
    from addhash.additive_records import AdditiveFeatureHasher
    from addhash.additive_text import AdditiveHashingVectorizer
    from addhash.centroids import CentroidClassifier
    from addhash.core import info, set_instruction_set
    from addhash.document_hash import DocumentHash
    from addhash.index import Index
    from addhash.neighbors import NearestNeighborClassifier
    from addhash.search.duplicates.finding import find_duplicates
    from addhash.search.duplicates.index import DuplicateIndex
    from addhash.streams import RollingHash, sum_documents, tree_merge
    from addhash.text_classifier import TextClassifier
    from addhash.trick_records import FeatureHasher
    from addhash.trick_text import HashingVectorizer


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'addhash' has no attribute {name!r}")
    module = import_module(home)
    return module if home == f"addhash.{name}" else getattr(module, name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
