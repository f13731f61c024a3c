"""Texts: how they are read, how they are cut into tokens, and where each token stands."""
