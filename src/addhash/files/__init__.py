"""Files that are whole or absent, and models laid down in them."""

from addhash.files.model_file import ModelSummary, inspect
from addhash.files.whole_file import whole_file

__all__ = ["ModelSummary", "inspect", "whole_file"]
