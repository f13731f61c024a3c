"""Text and records to vectors by adding hashes: no vocabulary, no training, exact sums.

Examples
--------
>>> from addhash import AdditiveHashingVectorizer
>>> vectors = AdditiveHashingVectorizer().transform(["John likes movies", "Mary likes movies"])
>>> vectors.shape
(2, 2048)
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from addhash import errors as errors
    from addhash import files as files
    from addhash import languages as languages
    from addhash import paper as paper
    from addhash import sample as sample
    from addhash import service as service
    from addhash import tables as tables
    from addhash.arrow.texts import text_column as text_column
    from addhash.arrow.vectors import vector_column as vector_column
    from addhash.documents.document_hash import DocumentHash as DocumentHash
    from addhash.documents.rolling_hash import RollingHash as RollingHash
    from addhash.documents.totals import sum_documents as sum_documents
    from addhash.estimators.additive_records import AdditiveFeatureHasher as AdditiveFeatureHasher
    from addhash.estimators.additive_text import (
        AdditiveHashingVectorizer as AdditiveHashingVectorizer,
    )
    from addhash.estimators.bayes import BayesClassifier as BayesClassifier
    from addhash.estimators.centroids import CentroidClassifier as CentroidClassifier
    from addhash.estimators.neighbors import (
        NearestNeighborClassifier as NearestNeighborClassifier,
    )
    from addhash.estimators.term_counts import CountVectorizer as CountVectorizer
    from addhash.estimators.term_counts import TfidfTransformer as TfidfTransformer
    from addhash.estimators.term_counts import TfidfVectorizer as TfidfVectorizer
    from addhash.estimators.trick_records import FeatureHasher as FeatureHasher
    from addhash.estimators.trick_text import HashingVectorizer as HashingVectorizer
    from addhash.hashing.frequencies import DocumentFrequencies as DocumentFrequencies
    from addhash.hashing.vectorizer import TextVectorizer as TextVectorizer
    from addhash.learning.evaluation import Evaluation as Evaluation
    from addhash.learning.text_classifier import TextClassifier as TextClassifier
    from addhash.merging import merged as merged
    from addhash.runtime import info as info
    from addhash.runtime import release_memory as release_memory
    from addhash.runtime import set_instruction_set as set_instruction_set
    from addhash.search.duplicates.fields import Field as Field
    from addhash.search.duplicates.finding import find_duplicates as find_duplicates
    from addhash.search.duplicates.index import DuplicateIndex as DuplicateIndex
    from addhash.search.duplicates.similarity import Similarity as Similarity
    from addhash.search.duplicates.token_sets import token_sets as token_sets
    from addhash.search.index import Index as Index
    from addhash.search.passages.finding import find_passages as find_passages
    from addhash.search.passages.overlap import find_overlap as find_overlap
    from addhash.search.text_index import TextIndex as TextIndex

# Where each public name lives. Names are loaded on first use to keep importing addhash light.
_HOMES = {
    "addhash": ["errors", "files", "languages", "paper", "sample", "service", "tables"],
    "addhash.documents.document_hash": ["DocumentHash"],
    "addhash.documents.totals": ["sum_documents"],
    "addhash.documents.rolling_hash": ["RollingHash"],
    "addhash.estimators.additive_records": ["AdditiveFeatureHasher"],
    "addhash.estimators.additive_text": ["AdditiveHashingVectorizer"],
    "addhash.estimators.bayes": ["BayesClassifier"],
    "addhash.estimators.centroids": ["CentroidClassifier"],
    "addhash.estimators.neighbors": ["NearestNeighborClassifier"],
    "addhash.estimators.term_counts": ["CountVectorizer", "TfidfTransformer", "TfidfVectorizer"],
    "addhash.estimators.trick_records": ["FeatureHasher"],
    "addhash.estimators.trick_text": ["HashingVectorizer"],
    "addhash.arrow.vectors": ["vector_column"],
    "addhash.learning.evaluation": ["Evaluation"],
    "addhash.merging": ["merged"],
    "addhash.hashing.frequencies": ["DocumentFrequencies"],
    "addhash.hashing.vectorizer": ["TextVectorizer"],
    "addhash.learning.text_classifier": ["TextClassifier"],
    "addhash.runtime": ["info", "release_memory", "set_instruction_set"],
    "addhash.search.duplicates.fields": ["Field"],
    "addhash.search.duplicates.finding": ["find_duplicates"],
    "addhash.search.duplicates.index": ["DuplicateIndex"],
    "addhash.search.duplicates.token_sets": ["token_sets"],
    "addhash.search.duplicates.similarity": ["Similarity"],
    "addhash.search.index": ["Index"],
    "addhash.search.passages.finding": ["find_passages"],
    "addhash.search.passages.overlap": ["find_overlap"],
    "addhash.search.text_index": ["TextIndex"],
    "addhash.arrow.texts": ["text_column"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
# The packages that an extra installs and without which a part of addhash cannot be imported.
_NEEDED = {
    "addhash.estimators": ("scipy", "sklearn"),
    "addhash.paper": ("scipy", "sklearn"),
    "addhash.service": ("msgspec", "prometheus_client", "starlette", "uvicorn"),
}


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):  # something keeps it from being imported
        return False


def _is_usable(name: str) -> bool:
    """Return whether the packages that a public name needs are installed."""
    home = f"{_HOME_OF[name]}.{name}"
    return all(
        _is_installed(package)
        for part, packages in _NEEDED.items()
        if home.startswith(f"{part}.") or home == part
        for package in packages
    )


# Names that need a missing package are left out, so that `from addhash import *` and `help` work;
# asking for one by name raises the error that says what to install.
__all__ = sorted(filter(_is_usable, _HOME_OF))


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'addhash' has no attribute {name!r}")
    if home == "addhash":
        return import_module(f"addhash.{name}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
