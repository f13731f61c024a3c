"""What a classifier learns into, and what it answers."""
