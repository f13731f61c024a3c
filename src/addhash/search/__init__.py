"""Vectors that are kept, and the most similar ones found."""
