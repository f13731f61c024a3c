"""Documents that are edited, merged, compared and probed after they were hashed."""
