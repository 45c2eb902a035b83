# make demo and make test are all that a newcomer needs: both install what is missing, build, and run.

PREFIX ?= /usr/local
BUILD ?= .build
JOBS ?= $(shell nproc)
SWIFT_FLAGS = -j $(JOBS) --explicit-target-dependency-import-check error
PLUGINS = $(BUILD)/plugins

# Debian packages, each with a file that shows that it is there.
PACKAGES = gcc g++ make pkg-config libsqlite3-dev libcurl4-openssl-dev libxml2-dev \
    zlib1g-dev sqlite3 python3 binutils

BENCH = $(BUILD)/bench

.PHONY: demo test bench lint format install packages build plugins clean

demo: build plugins
	Demo/run "$(BUILD)/debug" "$(PLUGINS)"

test: packages plugins
	swift test $(SWIFT_FLAGS)

build: packages
	swift build $(SWIFT_FLAGS)

plugins: packages
	$(MAKE) -C Plugins OUT="$(abspath $(PLUGINS))"

bench: packages
	swift build $(SWIFT_FLAGS) --configuration release --product bgtaskd
	swift build $(SWIFT_FLAGS) --configuration release --product bgtask-runner
	mkdir -p "$(BENCH)"
	cc -O2 -shared -fPIC -I Sources/CBackgroundTasks/include Benchmarks/Plugins/Stamp.c -o "$(BENCH)/libStamp.so"
	cc -O2 Benchmarks/Plugins/Floor.c -o "$(BENCH)/Floor"
	swift run --package-path Benchmarks -c release SubmitToHandler "$(abspath $(BUILD)/release)" "$(abspath $(BENCH))"

lint:
	swift format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources

format:
	swift format --in-place --recursive --parallel Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources

# Binaries, header and example plugins' manifests stay apart: a vendor needs the header alone.
install: packages
	swift build $(SWIFT_FLAGS) --configuration release
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/include"
	install -m 755 $(BUILD)/release/bgtask $(BUILD)/release/bgtaskd $(BUILD)/release/bgtask-runner "$(DESTDIR)$(PREFIX)/bin"
	install -m 644 Sources/CBackgroundTasks/include/bgtask.h "$(DESTDIR)$(PREFIX)/include"

packages:
	@missing=$$(for p in $(PACKAGES); do \
	    dpkg-query -W -f '$${Status}' $$p 2>/dev/null | grep -q 'install ok installed' || echo $$p; done); \
	if [ -n "$$missing" ]; then \
	    echo "installing:" $$missing; \
	    sudo=$$([ "$$(id -u)" -eq 0 ] || echo sudo); \
	    $$sudo apt-get update -q && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -q -y --no-install-recommends $$missing; \
	fi

clean:
	rm -rf $(BUILD)
