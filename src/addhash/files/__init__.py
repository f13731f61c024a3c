"""Atomic writes, model files, and locks between processes."""

from addhash.files.lock import locked
from addhash.files.model_file import ModelSummary, inspect, is_model
from addhash.files.whole import sync, whole_file
from addhash.files.work_folder import remove_work_folder

__all__ = [
    "ModelSummary",
    "inspect",
    "is_model",
    "locked",
    "remove_work_folder",
    "sync",
    "whole_file",
]
