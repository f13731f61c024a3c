"""Files that are whole or absent, and locks between the processes that change them."""

from addhash.files.lock import locked
from addhash.whole_files import whole_file

__all__ = ["locked", "whole_file"]
