"""Columns and tables in and out through the Arrow PyCapsule interface, without pyarrow."""
