# The documentation site.
.PHONY: docs-tools docs test-site
docs-tools: install
	$(INSTALL) -r pyproject.toml --extra docs
docs: docs-tools build/web/addhash.wasm ## Build the documentation site in build/site.
	$(BIN)/python -m docs.make_site
test-site: docs browser ## Build the site, check every link, and look at it in Chromium.
	$(PYTEST) 2 --quiet tests/site
