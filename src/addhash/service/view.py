"""A model at one moment: as it is for readers, and as it becomes in a change."""

from copy import copy
from dataclasses import dataclass
from functools import cached_property

from addhash import TextClassifier


@dataclass(frozen=True, eq=False)
class View:
    """The model at one moment: this classifier no longer changes."""

    classifier: TextClassifier
    number: int  # of the last change that it knows

    @cached_property
    def in_one_thread(self) -> TextClassifier:
        """The classifier for work that is not worth a second thread, nor counting the cores."""
        classifier = copy(self.classifier)
        classifier.n_jobs = 1
        return classifier


@dataclass
class Draft:
    """The model as it becomes: a change teaches this classifier, or puts another one here."""

    classifier: TextClassifier
