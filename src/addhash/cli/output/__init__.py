"""Results for people on a terminal, for programs in a pipe, and in files that are always whole."""
