"""Faces for the engines that texts live in: Polars, DuckDB and Spark. Each is imported by name."""
