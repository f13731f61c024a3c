"""Texts: how they are read and tokenized, and where each token is."""
