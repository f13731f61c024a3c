"""The commands of `addhash`, one module per subject."""
