"""Text and records to vectors by adding hashes: no vocabulary, no training, exact sums.

Examples
--------
>>> from addhash import AdditiveHashingVectorizer
>>> vectors = AdditiveHashingVectorizer().transform(["John likes movies", "Mary likes movies"])
>>> vectors.shape
(2, 2048)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from addhash import errors as errors
    from addhash import files as files
    from addhash import languages as languages
    from addhash import paper as paper
    from addhash import sample as sample
    from addhash import service as service
    from addhash.documents.document_hash import DocumentHash as DocumentHash
    from addhash.documents.merging import sum_documents as sum_documents
    from addhash.documents.merging import tree_merge as tree_merge
    from addhash.documents.rolling_hash import RollingHash as RollingHash
    from addhash.estimators.additive_records import AdditiveFeatureHasher as AdditiveFeatureHasher
    from addhash.estimators.additive_text import (
        AdditiveHashingVectorizer as AdditiveHashingVectorizer,
    )
    from addhash.estimators.bayes import BayesClassifier as BayesClassifier
    from addhash.estimators.centroids import CentroidClassifier as CentroidClassifier
    from addhash.estimators.neighbors import (
        NearestNeighborClassifier as NearestNeighborClassifier,
    )
    from addhash.estimators.trick_records import FeatureHasher as FeatureHasher
    from addhash.estimators.trick_text import HashingVectorizer as HashingVectorizer
    from addhash.hashing.frequencies import DocumentFrequencies as DocumentFrequencies
    from addhash.hashing.vector_column import vector_column as vector_column
    from addhash.learning.merging import merged as merged
    from addhash.learning.text_classifier import TextClassifier as TextClassifier
    from addhash.runtime import info as info
    from addhash.runtime import release_memory as release_memory
    from addhash.runtime import set_instruction_set as set_instruction_set
    from addhash.search.duplicates.finding import find_duplicates as find_duplicates
    from addhash.search.duplicates.index import DuplicateIndex as DuplicateIndex
    from addhash.search.duplicates.token_sets import token_sets as token_sets
    from addhash.search.index import Index as Index
    from addhash.search.text_index import TextIndex as TextIndex
    from addhash.text.columns import text_column as text_column

# Where each public name lives. Names are loaded on first use to keep importing addhash light.
_HOMES = {
    "addhash": ["errors", "files", "languages", "paper", "sample", "service"],
    "addhash.documents.document_hash": ["DocumentHash"],
    "addhash.documents.merging": ["sum_documents", "tree_merge"],
    "addhash.documents.rolling_hash": ["RollingHash"],
    "addhash.estimators.additive_records": ["AdditiveFeatureHasher"],
    "addhash.estimators.additive_text": ["AdditiveHashingVectorizer"],
    "addhash.estimators.bayes": ["BayesClassifier"],
    "addhash.estimators.centroids": ["CentroidClassifier"],
    "addhash.estimators.neighbors": ["NearestNeighborClassifier"],
    "addhash.estimators.trick_records": ["FeatureHasher"],
    "addhash.estimators.trick_text": ["HashingVectorizer"],
    "addhash.hashing.vector_column": ["vector_column"],
    "addhash.learning.merging": ["merged"],
    "addhash.hashing.frequencies": ["DocumentFrequencies"],
    "addhash.learning.text_classifier": ["TextClassifier"],
    "addhash.runtime": ["info", "release_memory", "set_instruction_set"],
    "addhash.search.duplicates.finding": ["find_duplicates"],
    "addhash.search.duplicates.index": ["DuplicateIndex"],
    "addhash.search.duplicates.token_sets": ["token_sets"],
    "addhash.search.index": ["Index"],
    "addhash.search.text_index": ["TextIndex"],
    "addhash.text.columns": ["text_column"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'addhash' has no attribute {name!r}")
    if home == "addhash":
        return import_module(f"addhash.{name}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
