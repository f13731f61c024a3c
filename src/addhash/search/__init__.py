"""Indexes of vectors and texts, exact search, and near-duplicates."""
