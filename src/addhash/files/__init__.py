"""Atomic writes, model files, and locks between processes."""

from addhash.files.lock import locked
from addhash.files.model_file import ModelSummary, inspect
from addhash.files.whole_file import whole_file

__all__ = ["ModelSummary", "inspect", "locked", "whole_file"]
