"""Language detection: a ready-made detector for 508 languages.

Examples
--------
>>> from addhash import languages
>>> languages.detect("Wer reitet so spät durch Nacht und Wind?").name
'German'
"""

from addhash.languages.detection import Detection, detect
from addhash.languages.model import load
from addhash.languages.segmentation import Segment, segments
from addhash.languages.sources import read_corpus
from addhash.languages.table import Language, known
from addhash.languages.training import train

__all__ = [
    "Detection",
    "Language",
    "Segment",
    "detect",
    "known",
    "load",
    "read_corpus",
    "segments",
    "train",
]
