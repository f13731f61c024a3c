"""The report on the experiments: claims and verdicts, figures, and the page that shows them."""
