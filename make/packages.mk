# What tests need of Debian. Without the right to install it, they say what is missing.
.PHONY: packages browser axe
# Without windows, if there is none yet: it takes half of the time.
CHROMIUM := command -v chromium >/dev/null || make/need.sh chromium-headless-shell chromium-headless-shell
JAVA := java openjdk-17-jre-headless
CLANG := clang++ clang libclang-rt-VERSION-dev
ARM_COMPILER := aarch64-linux-gnu-g++ g++-aarch64-linux-gnu
QEMU := qemu-aarch64 qemu-user

packages: ## Install Chromium, Java, clang, and a compiler and an emulator for ARM, if apt-get may.
	$(CHROMIUM)
	make/need.sh $(JAVA)
	make/need.sh $(CLANG)
	make/need.sh $(ARM_COMPILER)
	make/need.sh $(QEMU)
browser: ## Install Chromium for the browser tests, if apt-get may; without it they are skipped.
	@$(CHROMIUM) || echo 'The browser tests will be skipped.'
axe: build/axe/node_modules ## Fetch axe-core from npm for the tests of the page; without it they are skipped.
build/axe/node_modules:
	mkdir -p build/axe
	timeout 60 npm install --silent --no-audit --no-fund --fetch-retries 1 --prefix build/axe axe-core@4.11.0 || (rm -rf build/axe; echo 'The rules of axe-core will be skipped.')
