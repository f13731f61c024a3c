"""Interfaces to the engines that texts live in: Polars, DuckDB and Spark. Import them by name."""
