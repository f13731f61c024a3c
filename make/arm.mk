# 64-bit ARM, emulated.
.PHONY: arm-tools arm arm-native arm-package test-arm

ARM := build/arm
ARM_PYTHON := qemu-aarch64 -L $(ARM)/python/debian -E PYTHONPATH=$(ARM)/python/site:. -E PYTHONDONTWRITEBYTECODE=1
ARM_RUN := $(ARM)/python/debian/usr/bin/python3
# Of the kernels that differ between the sets of 64-bit ARM, and of the choice.
SET_TESTS := $(patsubst %,tests/%.cpp,aes128 dispatch search shake256)

arm-tools: install
	@if ! (command -v aarch64-linux-gnu-g++ && command -v qemu-aarch64) >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq; apt-get install -qq --no-install-recommends g++-aarch64-linux-gnu qemu-user >/dev/null; fi
	@command -v aarch64-linux-gnu-g++ && command -v qemu-aarch64 || \
	  { echo "Install Debian's g++-aarch64-linux-gnu and qemu-user."; exit 1; }
	tests/arm/python.sh $(ARM)/python $(BIN)/uv

# Sources are compiled to bytecode here: emulated, every process would take half a minute for it.
arm: arm-tools ## Install a compiler, an emulator and a Python for 64-bit ARM, if apt-get may, and build with them.
	$(CONFIGURE) -B $(ARM)/core -DADDHASH_MODULE=ON -DCMAKE_TOOLCHAIN_FILE=tests/arm/toolchain.cmake \
	  -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python \
	  -Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir)
	$(BIN)/cmake --build $(ARM)/core
	cp -r src/addhash $(ARM)/python/site/
	$(BIN)/cmake --install $(ARM)/core --prefix $(ARM)/python/site
	$(BIN)/python -m compileall -q -j 2 $(ARM)/python/debian/usr/lib $(ARM)/python/site

# The first processor has every set, so all tests run on all of them there. Emulated, the children of a
# process with threads sometimes do not end.
arm-native:
	qemu-aarch64 -L $(ARM)/python/debian -cpu max $(ARM)/core/native_tests -children_forked
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
	$(MAKE) --jobs 2 --output-sync=target arm-native arm-package
