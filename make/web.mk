# The core as WebAssembly, by the compiler that the PyPI package ziglang brings along, and its tests
# under Node and in Chromium.
ZIG := $(BIN)/python -m ziglang
ZIG_VERSION := 0.15.2
WASM := build/web
# The target's libraries are built once.
export ZIG_GLOBAL_CACHE_DIR := $(CURDIR)/build/zig
export ZIG_LOCAL_CACHE_DIR := $(CURDIR)/build/zig
# What needs a wider size_t or is of no use in a page is left out.
NOT_IN_WEB := arrow vocabulary passages
WEB_CORE := $(filter-out $(foreach part,bind fuzz tests $(NOT_IN_WEB),native/$(part)/%) native/isa/avx% native/isa/neon%,$(filter %.cpp,$(NATIVE)))
# Without threads and processes.
WEB_TESTS := $(filter-out $(patsubst %,native/tests/%.cpp,parallel stress $(NOT_IN_WEB)) native/tests/arrow_%,$(filter native/tests/%.cpp,$(NATIVE)))
WEB_FLAGS := -target wasm32-wasi -msimd128 -std=c++20 -fexceptions -ffp-contract=off -DADDHASH_ONE_THREAD -D_WASI_EMULATED_PROCESS_CLOCKS -Inative -Wall -Wextra -Werror
WEB_OPTIMIZE := -O2 -Wconversion -Wno-sign-conversion
# A third of the time that tests take to compile goes into headers.
WEB_HEADERS := $(WASM)/native/tests/usual.pch
# 1 GB from the start: Node 20 crashes now and then when it collects garbage while memory grows.
WEB_TEST_MEMORY := 1073741824
WEB_TEST_OBJECTS := $(patsubst %.cpp,$(WASM)/%.o,$(WEB_TESTS))
$(WEB_TEST_OBJECTS): WEB_OPTIMIZE := -O1 -include-pch $(WEB_HEADERS)

.venv/zig: | .venv/installed
	$(INSTALL) ziglang==$(ZIG_VERSION)
	touch $@
# As CMake does, the sources of a folder are compiled together, but for these.
ALONE := native/isa/% native/additive/batch.cpp
# The objects in a folder of what is compiled of some sources.
objects = $(patsubst %.cpp,$(1)/%.o,$(filter $(ALONE),$(2))) $(patsubst %/,$(1)/%/all.o,$(sort $(dir $(filter-out $(ALONE),$(2)))))
together = @mkdir -p $(@D); printf '\#include "%s"\n' $(patsubst native/%,%,$(wildcard $(filter native/%.cpp,$^))) >$(@:.o=.cpp)
.SECONDEXPANSION:
$(WASM)/%.o: %.cpp | .venv/zig
	@mkdir -p $(@D)
	$(ZIG) c++ $(WEB_FLAGS) $(WEB_OPTIMIZE) -MMD -MP -c $< -o $@
$(WASM)/%/all.o: $$(filter-out $(ALONE),$$(filter $$*/%,$(WEB_CORE))) | .venv/zig
	$(together)
	$(ZIG) c++ $(WEB_FLAGS) $(WEB_OPTIMIZE) -MMD -MP -c $(@:.o=.cpp) -o $@
-include $(shell find $(WASM) -name '*.d' 2>/dev/null)

$(WEB_HEADERS): native/tests/support.h native/tests/check.h | .venv/zig
	@mkdir -p $(@D)
	printf '#include <%s>\n' algorithm map memory string thread vector tests/check.h tests/support.h >$(@:.pch=.h)
	$(ZIG) c++ $(WEB_FLAGS) -O1 -MMD -MP -MF $(@:.pch=.d) -MT $@ -x c++-header $(@:.pch=.h) -o $@
$(WEB_TEST_OBJECTS): $(WEB_HEADERS)
$(WASM)/native_tests.wasm: $(call objects,$(WASM),$(WEB_CORE)) $(WEB_TEST_OBJECTS) $(WASM)/web/throw.o
	$(ZIG) c++ $(WEB_FLAGS) -O2 $^ -lwasi-emulated-process-clocks -Wl,--initial-memory=$(WEB_TEST_MEMORY) -o $@

$(WASM)/build/characters.h: web/make_characters.py | .venv/installed
	@mkdir -p $(@D)
	$(BIN)/python $< $@
$(WASM)/web/core.o: WEB_OPTIMIZE += -I$(WASM)
$(WASM)/web/core.o: $(WASM)/build/characters.h
$(WASM)/addhash.wasm: $(call objects,$(WASM),$(WEB_CORE)) $(patsubst %.cpp,$(WASM)/%.o,web/core.cpp web/throw.cpp)
	$(ZIG) c++ $(WEB_FLAGS) -O2 -mexec-model=reactor -s -Wl,--gc-sections -Wl,-z,stack-size=1048576 $^ -o $@

# The core for macOS on 64-bit ARM: compiled to objects and not run.
MACOS := build/macos
MACOS_CORE := $(filter-out $(foreach part,bind fuzz tests,native/$(part)/%) native/isa/avx%,$(filter %.cpp,$(NATIVE)))
MACOS_FLAGS := -target aarch64-macos -std=c++20 -O0 -ffp-contract=off -DADDHASH_ARM64 -Inative -Wall -Wextra -Werror
$(MACOS)/%.o: %.cpp | .venv/zig
	@mkdir -p $(@D)
	$(ZIG) c++ $(MACOS_FLAGS) -MMD -MP -c $< -o $@
$(MACOS)/%/all.o: $$(filter-out $(ALONE),$$(filter $$*/%,$(MACOS_CORE))) | .venv/zig
	$(together)
	$(ZIG) c++ $(MACOS_FLAGS) -MMD -MP -c $(@:.o=.cpp) -o $@
-include $(shell find $(MACOS) -name '*.d' 2>/dev/null)

.PHONY: test-web web-tests macos
macos: $(call objects,$(MACOS),$(MACOS_CORE))

# The module is made first, and not by two at a time: the site shows it too.
test-web: $(WASM)/addhash.wasm ## Run the core as WebAssembly under Node and in Chromium, compare its answers with Python's, and compile it for macOS.
	$(TWO_AT_A_TIME) web-tests macos
build/tsc/node_modules:
	mkdir -p build/tsc
	timeout 60 npm install --silent --no-audit --no-fund --fetch-retries 1 --prefix build/tsc typescript@5.9.3 || (rm -rf build/tsc; echo 'The types of the module will not be checked.')
web-tests: browser $(WASM)/native_tests.wasm $(WASM)/addhash.wasm
	make/need.sh node nodejs
	make/need.sh npm npm
	$(MAKE) --no-print-directory build/tsc/node_modules
	$(BIN)/pytest --quiet tests/web
