# clang, the sanitizers and the fuzz targets.
.PHONY: clang-tools clang clang-native clang-fuzz test-clang test-threads fuzz sanitize

clang-tools: install
	make/need.sh $(CLANG)
	$(INSTALL) atheris

# The bindings, which no program of the sanitizers contains, are only checked.
CLANG_CHECK = -fsyntax-only -std=c++20 -Wall -Wextra -Werror -Inative $(PYTHON_HEADERS)
PYTHON_HEADERS = $(addprefix -isystem ,$(shell $(BIN)/python -c 'import nanobind, sysconfig; print(nanobind.include_dir(), sysconfig.get_path("include"))'))

clang: clang-tools ## Install clang and its runtime, if apt-get may, and build with it.
	$(CONFIGURE) -B build/clang-sanitize -DCMAKE_CXX_COMPILER=clang++ -DADDHASH_SANITIZE=address,undefined \
	  -DADDHASH_FUZZ=ON
	$(BIN)/cmake --build build/clang-sanitize
	clang++ $(CLANG_CHECK) $(filter native/bind/%.cpp,$(NATIVE))

clang-native:
	build/clang-sanitize/native_tests

# What is found beside the seeds is kept in build/fuzz.
clang-fuzz:
	$(BIN)/python -m benchmarks.fuzz -max_total_time=3

test-clang: clang ## Build with clang, run its sanitizers on the native tests, and each fuzz target for some seconds.
	$(TWO_AT_A_TIME) clang-native clang-fuzz

fuzz: clang ## Run each fuzz target on a million inputs, and write down how it went: half an hour.
	$(BIN)/python -m benchmarks.fuzz -runs=1000000

# What they do not call.
NO_THREADS := /native/(arrow|bayes|detection|duplicates|exact_sums|passages|vocabulary)/
# Those that are about threads: all others take ten times as long under this sanitizer.
test-threads: install ## Run the native tests of threads under the thread sanitizer.
	$(CONFIGURE) -B build/sanitize-thread -DADDHASH_SANITIZE=thread '-DADDHASH_LEFT_OUT=$(NO_THREADS)'
	$(BIN)/cmake --build build/sanitize-thread --target thread_tests
	build/sanitize-thread/thread_tests

sanitize: install ## Run the native tests under ASan and UBSan, and then under TSan.
	for kind in address,undefined thread; do \
	  $(CONFIGURE) -B build/sanitize-$$kind -DADDHASH_SANITIZE=$$kind && \
	  $(BIN)/cmake --build build/sanitize-$$kind && build/sanitize-$$kind/native_tests || exit 1; \
	done
