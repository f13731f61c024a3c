"""Documents that can be edited, merged, compared and probed after hashing."""
