"""The scikit-learn interface to hashing and learning."""
