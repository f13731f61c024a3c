"""What the server can be asked to do, by subject."""
