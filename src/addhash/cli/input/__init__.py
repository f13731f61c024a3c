"""Documents from files and standard input, whatever their format, a few at a time."""
