"""The faces of hashing and learning that scikit-learn's users know."""
