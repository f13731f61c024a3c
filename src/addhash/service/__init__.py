"""A server that is taught while it is used."""
