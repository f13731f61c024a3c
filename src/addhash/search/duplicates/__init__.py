"""Near-duplicates: every pair of similar texts, verified, and clusters that do not chain."""
