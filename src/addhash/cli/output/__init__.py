"""Results for people on a terminal, programs in a pipe, and files that are always complete."""
