"""Options that several commands share, in bundles; `spread` makes them options of a command."""
