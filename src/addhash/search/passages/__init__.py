"""Passages: runs of words that stand in several texts."""
