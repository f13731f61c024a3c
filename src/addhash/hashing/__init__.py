"""From tokens to vectors: keys, randomizers, additive hashing and the hashing trick."""
