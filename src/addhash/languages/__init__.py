"""Language detection: a ready-made detector for over 600 languages, and 700 more on request.

Examples
--------
>>> from addhash import languages
>>> languages.detect("Wer reitet so spät durch Nacht und Wind?").name
'German'
"""

from addhash.languages.corpus import Source, read_corpus, sources
from addhash.languages.detection import Detection, detect
from addhash.languages.model import load
from addhash.languages.provenance import provenance
from addhash.languages.segmentation import Segment, segments
from addhash.languages.table import Language, known
from addhash.languages.training import train

__all__ = [
    "Detection",
    "Language",
    "Segment",
    "Source",
    "detect",
    "known",
    "load",
    "provenance",
    "read_corpus",
    "segments",
    "sources",
    "train",
]
