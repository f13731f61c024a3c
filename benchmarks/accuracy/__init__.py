"""How often each method is right, how fast, and how large its models are, beside named peers."""
