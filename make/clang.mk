# clang, the sanitizers and the fuzz targets.
.PHONY: clang-tools clang clang-native clang-fuzz test-clang fuzz sanitize

clang-tools: install
	@if ! command -v clang++ >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq; version=$$(apt-cache depends clang | sed -nE 's/.*Depends: clang-([0-9]+)$$/\1/p'); \
	  apt-get install -qq --no-install-recommends clang libclang-rt-$$version-dev >/dev/null; fi
	@command -v clang++ || { echo "Install Debian's clang, and libclang-rt-dev of the same version."; exit 1; }
	$(INSTALL) atheris

clang: clang-tools ## Install clang and its runtime, if apt-get may, and build with it.
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

fuzz: clang ## Run each fuzz target on a million inputs, and write down how it went: half an hour.
	$(BIN)/python -m benchmarks.fuzz -runs=1000000

sanitize: install ## Run the native tests under ASan and UBSan, and then under TSan.
	for kind in address,undefined thread; do \
	  $(CONFIGURE) -B build/sanitize-$$kind -DADDHASH_SANITIZE=$$kind && \
	  $(BIN)/cmake --build build/sanitize-$$kind && build/sanitize-$$kind/native_tests || exit 1; \
	done
