# 64-bit ARM, emulated.
.PHONY: arm-tools arm arm-native arm-package test-arm

ARM := build/arm
ARM_PYTHON := qemu-aarch64 -L $(ARM)/python/debian -E PYTHONPATH=$(ARM)/python/site:. -E PYTHONDONTWRITEBYTECODE=1
ARM_RUN := $(ARM)/python/debian/usr/bin/python3
# Tests of the kernels that differ between ARM instruction sets, and of the dispatch.
SET_TESTS := $(patsubst %,tests/%.cpp,aes128 dispatch search shake256) -threads_do_not_change
# Left out: what has no kernel of its own, and so differs in nothing that an emulator shows, as threads do
# not. Emulated, the children of a process with threads sometimes do not end.
SAME_FILES := /native/tests/(arrow|duplicates|edits|passages|stress|tokens)
SAME_TESTS := $(patsubst %,-%,bounded_memory children_forked coded_counts_are for_every_history threads_do_not_change)

arm-tools: install
	make/need.sh $(ARM_COMPILER)
	make/need.sh $(QEMU)
	tests/arm/python.sh $(ARM)/python $(BIN)/uv

# Sources are compiled to bytecode here: emulated, every process would take half a minute for it.
arm: arm-tools ## Install a compiler, an emulator and a Python for 64-bit ARM, if apt-get may, and build with them.
	$(CONFIGURE) -B $(ARM)/core -DADDHASH_MODULE=ON -DCMAKE_TOOLCHAIN_FILE=tests/arm/toolchain.cmake \
	  '-DADDHASH_LEFT_OUT=$(SAME_FILES)' \
	  -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python \
	  -Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir)
	$(BIN)/cmake --build $(ARM)/core
	cp -r src/addhash $(ARM)/python/site/
	$(BIN)/cmake --install $(ARM)/core --prefix $(ARM)/python/site
	$(BIN)/python -m compileall -q -j 2 $(ARM)/python/debian/usr/lib $(ARM)/python/site

# The first processor has every set, so the tests run on all of them there.
arm-native:
	qemu-aarch64 -L $(ARM)/python/debian -cpu max $(ARM)/core/native_tests $(SAME_TESTS)
	for processor in cortex-a76 cortex-a57; do \
	  qemu-aarch64 -L $(ARM)/python/debian -cpu $$processor $(ARM)/core/native_tests $(SET_TESTS) || exit 1; done

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
	$(TWO_AT_A_TIME) arm-native arm-package
