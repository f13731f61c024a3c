"""Atomic writes, model files, and locks between processes."""

from addhash.files.lock import locked
from addhash.files.model_file import ModelSummary, inspect, is_model
from addhash.files.whole import sync, whole_file

__all__ = ["ModelSummary", "inspect", "is_model", "locked", "sync", "whole_file"]
