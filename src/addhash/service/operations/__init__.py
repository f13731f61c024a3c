"""The server's operations, by subject."""
