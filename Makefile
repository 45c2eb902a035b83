# make demo and make test suffice for a start: both install missing packages, build, and run.

PREFIX ?= /usr/local
BUILD ?= .build
JOBS ?= $(shell nproc)
SWIFT_FLAGS = -j $(JOBS) --scratch-path $(BUILD) --explicit-target-dependency-import-check error
PROGRAMS = bgtask bgtaskd bgtask-runner bgtask-feeder
PLUGINS = $(BUILD)/plugins
SWIFT_PLUGINS = ColorFeed

# Debian packages for building, testing and the demo.
PACKAGES = gcc g++ make pkg-config libffi-dev libseccomp-dev libsqlite3-dev libcurl4-openssl-dev libssl-dev libxml2-dev libturbojpeg0-dev \
    libleptonica-dev zlib1g-dev sqlite3 python3 python3-yaml python3-jsonschema binutils tzdata jq dbus libsystemd0 \
    python3-dbusmock abigail-tools python3-prometheus-client python3-venv openssh-client openssl zsh fish \
    chromium python3-websockets libpq-dev postgresql

BENCH = $(BUILD)/bench
BENCHMARK = swift run --package-path Benchmarks --scratch-path "$(BENCH)/.build" -c release --skip-build
BENCHED = "$(abspath $(BUILD)/release)" "$(abspath $(BENCH))"
RELEASE = --configuration release --static-swift-stdlib
INSTALLED = PROGRAMS="$(abspath $(BUILD))/release" MANUALS="$(abspath $(BUILD))/debug/generate-manual-tool"

# Random walks of the scheduler: the number of events, the seed of the first walk, or one walk to replay step by step.
EVENTS ?= 10000000
SEED ?= 1
WALK ?=

# The number of hosts that make torture kills at random moments.
ROUNDS ?= 300
# The minutes in which it plays random faults on one host.
FAULTS_MINUTES ?= 20

# The number of changes of the scheduler that make mutants tries; SEED selects them.
COUNT ?= 200

# The fuzz targets, and the minutes for each.
FUZZ ?= library manifest wire control
MINUTES ?= 20
# The number of damaged libraries that make fuzz lets plugin check launch.
MUTANTS ?= 2000

DOCS = $(BUILD)/docs

# The package that make try-deb and make try-vm install.
DEB ?= $(lastword $(sort $(wildcard $(BUILD)/deb/bgtask_*.deb)))
PREVIOUS ?=
MODULES = BackgroundTasks BackgroundTasksMain BackgroundTasksApp BackgroundTasksTesting
SDK = $(BUILD)/sdk

.PHONY: sdk sdk-build api api-renew try-deb try-vm demo demo-fleet chains test prometheus sshd schemathesis push-client-packages push-clients transfer-kills fleet-kills page page-axe page-soak page-soak-host page-pictures api-fuzz host-scenarios minor1 sanitize languages fixtures soak fleet-simulation core-cost core-cost-program instructions torture mutants fuzz bench bench-peers bench-fleet bench-size bench-forecast bench-replay bench-programs lint format statements abi-renew docs release install deb packages build plugins clean

demo: build plugins
	Demo/run "$(BUILD)/debug" "$(PLUGINS)"

# Three hosts around a PostgreSQL server of the demo's own: one is killed, one loses its connection.
demo-fleet: build
	Demo/fleet "$(BUILD)/debug"

# The launch tests count descriptors and adopt orphans: they need a process, and the machine's control groups,
# exclusively. The tests of ColorFeed have a host inside of their process: they need a process without tests of the
# Swift module.
test: packages plugins docs minor1 prometheus sshd schemathesis push-client-packages page-axe
	swift test $(SWIFT_FLAGS) --skip 'PluginLaunchTests|^ColorFeedTests\.'
	swift test $(SWIFT_FLAGS) --skip-build --filter '^ColorFeedTests\.'
	BGTASK_MINOR1="$(MINOR1)" swift test $(SWIFT_FLAGS) --skip-build --filter PluginLaunchTests
	$(MAKE) --no-print-directory instructions

# Extracts Debian packages into a directory. Their installation would start services.
define extract
	rm -rf "$(1)" && mkdir -p "$(1)"
	cd "$(1)" && { apt-get download -q $(2) || { \
	    $$([ "$$(id -u)" -eq 0 ] || echo sudo) apt-get update -q && apt-get download -q $(2); }; }
	for deb in "$(1)"/*.deb; do dpkg-deb -x "$$deb" "$(1)" && rm "$$deb" || exit; done
endef

# The programs of Debian's Prometheus, which read the metrics of a host in the tests.
PROMETHEUS = $(BUILD)/prometheus
prometheus: packages $(PROMETHEUS)/usr/bin/promtool
$(PROMETHEUS)/usr/bin/promtool:
	$(call extract,$(PROMETHEUS),prometheus)

# Debian's ssh server, which tests of bgtask -H start for each connection. libnss-wrapper shows it the account that its
# installation would create.
SSHD = $(BUILD)/sshd
sshd: packages $(SSHD)/usr/sbin/sshd
$(SSHD)/usr/sbin/sshd:
	$(call extract,$(SSHD),openssh-server libnss-wrapper libwrap0)

# Schemathesis from PyPI, which calls the control API of a host with generated requests. Without PyPI its test is skipped.
SCHEMATHESIS = $(BUILD)/schemathesis
SCHEMATHESIS_PACKAGES = schemathesis==4.32.5 hypothesis==6.170.17 jsonschema-rs==0.60.3
schemathesis: packages
	[ -x "$(SCHEMATHESIS)/bin/schemathesis" ] || { python3 -m venv "$(SCHEMATHESIS)" \
	    && "$(SCHEMATHESIS)/bin/python" -m pip install --quiet --retries 1 $(SCHEMATHESIS_PACKAGES); } \
	    || rm -rf "$(SCHEMATHESIS)"

# Clients of Apple's push service from PyPI, which push to a host through its gateway. Without PyPI their test is skipped.
# COUNT is the number of pushes; make test sends 500.
PUSH_CLIENTS = $(BUILD)/push-clients
PUSH_PACKAGES = aioapns==4.0 pyapns_client==2.0.6 kalyke-apns==1.5.0 cryptography==50.0.2
push-client-packages: packages
	[ -x "$(PUSH_CLIENTS)/bin/python" ] || { python3 -m venv "$(PUSH_CLIENTS)" \
	    && "$(PUSH_CLIENTS)/bin/python" -m pip install --quiet --retries 1 $(PUSH_PACKAGES); } \
	    || rm -rf "$(PUSH_CLIENTS)"
push-clients: COUNT = 10000
push-clients: build push-client-packages
	Tests/PushClients/run "$(BUILD)/debug" "$(PUSH_CLIENTS)/bin/python" --count $(COUNT)

# A download of 1 GB whose host is killed 20 times, and whose process too; about six minutes, at most 16. Prints the share
# of the bytes that were fetched twice, and the relaunches of the plugin.
transfer-kills: build plugins
	Tests/Transfers/kills "$(BUILD)/debug"

# A fleet whose hosts, feeders and database are killed at random moments for FLEET_MINUTES; then all work has to end.
# FLEET_MEMBERS=50 FLEET_MINUTES=10 is the long form.
FLEET_MEMBERS ?= 4
FLEET_MINUTES ?= 1
fleet-kills: build
	Tests/Fleet/kills "$(BUILD)/debug" --hosts $(FLEET_MEMBERS) --minutes $(FLEET_MINUTES) --seed $(SEED)

# The page of a host, driven in headless Chromium.
page: build page-axe
	BGTASK_AXE="$(AXE)" Tests/Page/run "$(BUILD)/debug"

# axe-core in a package of PyPI. Without PyPI its scenario is skipped.
AXE = $(BUILD)/axe
page-axe:
	[ -d "$(AXE)" ] || python3 -m pip download --quiet --retries 1 --no-deps --dest "$(AXE)" axe-playwright-python==0.1.8 \
	    || rm -rf "$(AXE)"

# The page beside an hour of traffic, whose memory has to stay flat: of a stand-in with 1,000 plugins, or of a real host.
page-soak page-soak-host: MINUTES = 60
page-soak: build
	Tests/Page/soak "$(BUILD)/debug" --minutes $(MINUTES)
page-soak-host: build
	Tests/Page/soak "$(BUILD)/debug" --minutes $(MINUTES) --host real

# The pictures of Documentation/Page.md.
page-pictures: build plugins
	Tests/Page/pictures "$(BUILD)/debug" "$(PLUGINS)"

# Many more generated requests than make test sends. SEED selects them; EXAMPLES is their maximum number for each route.
EXAMPLES ?= 1000
api-fuzz: build schemathesis
	Tests/Schemathesis/run "$(BUILD)/debug" "$(SCHEMATHESIS)/bin/schemathesis" --seed $(SEED) --examples $(EXAMPLES)

# Scenarios that any host of the plugin ABI and the control API has to pass; Documentation/HostConformance.md. HOST is the
# program that starts it.
HOST ?= Tests/HostScenarios/bgtaskd
host-scenarios: packages $(if $(findstring HostScenarios/bgtaskd,$(HOST)),build)
	BGTASK_BUILD="$(abspath $(BUILD)/debug)" Tests/HostScenarios/run --host "$(HOST)"

# A runner of the simulated next minor version of the plugin ABI, with which make test runs plugins of both versions.
MINOR1 = $(abspath $(BUILD))/minor1
BUILD_RUNNER = swift build -j $(JOBS) --product bgtask-runner
minor1: packages
	Tests/Minor1/grow runner "$(MINOR1)"
	@$(BUILD_RUNNER) --package-path "$(MINOR1)" --scratch-path "$(MINOR1)/build" || { \
	    echo "the runner of the simulated next minor version does not compile; correct the edits in Tests/Minor1/grow"; \
	    exit 1; }

# The same tests with AddressSanitizer in the runners too.
sanitize: packages
	Tests/Minor1/grow runner "$(MINOR1)"
	Tests/Minor1/grow today "$(MINOR1)/today"
	BGTASK_SANITIZED=1 $(BUILD_RUNNER) --sanitize=address --package-path "$(MINOR1)/today" --scratch-path "$(MINOR1)/sanitized0"
	BGTASK_SANITIZED=1 $(BUILD_RUNNER) --sanitize=address --package-path "$(MINOR1)" --scratch-path "$(MINOR1)/sanitized1"
	BGTASK_MINOR1="$(MINOR1)" BGTASK_SANITIZED=1 swift test $(SWIFT_FLAGS) --filter Minor1Tests

# The model plugin in every language that Debian compiles, and in Zig, which comes from PyPI; a missing compiler skips its
# test.
ZIG = ziglang==0.17.1
languages: PACKAGES += rustc golang-go gccgo-12 gdc ldc python3-pip
languages: packages
	python3 -m pip install --quiet --target "$(BUILD)/zig" $(ZIG) || true
	BGTASK_LANGUAGES=all ZIG="$(abspath $(BUILD))/zig/ziglang/zig" swift test $(SWIFT_FLAGS) --filter LanguageTests
	BGTASK_LANGUAGES=all ZIG="$(abspath $(BUILD))/zig/ziglang/zig" swift test $(SWIFT_FLAGS) --skip-build --filter 'ConformanceTests.*each tested language|NewPluginTests'

# The compiled plugins that every later host has to run. After the release of the ABI they never change.
fixtures: PACKAGES += rustc
fixtures: packages
	Tests/Fixtures/check renew

# The random walks of make test with ten million events instead of a hundred thousand. A failing walk is shortened and
# printed, with the command that repeats it.
soak:
	BGTASK_WALK=$(WALK) BGTASK_WALK_EVENTS=$(EVENTS) BGTASK_WALK_SEED=$(SEED) swift test --package-path Soak --scratch-path "$(BUILD)/soak" \
	    -j $(JOBS) --configuration release -Xswiftc -enable-testing --filter RandomWalkTests

# A million events of fleets of real schedulers around a modelled queue, with random faults; then the cost of 10,000 idle
# hosts, with up to a million items. SEED selects the events.
FLEET_EVENTS ?= 1000000
FLEET_HOSTS ?= 2000
fleet-simulation:
	swift build --package-path Soak --scratch-path "$(BUILD)/soak" -j $(JOBS) --configuration release --product FleetRun
	"$(BUILD)/soak/release/FleetRun" $(FLEET_EVENTS) $(SEED) $(FLEET_HOSTS)

# Processor time and memory of the scheduling core alone, with few and with a million pending requests. Then the same
# operations are counted in instructions. An operation fails if it costs a tenth more than Soak/instructions.baseline,
# or twice as much with a million pending requests. RENEW=1 records the present counts instead: after a new compiler, or
# for an intended change.
CORE_COST = "$(BUILD)/soak/release/CoreCost"
core-cost: core-cost-program
	$(CORE_COST)
	Soak/instructions $(CORE_COST) $(if $(RENEW),--renew)

# Only the instructions, with a thousand pending requests.
instructions: core-cost-program
	Soak/instructions $(CORE_COST) --small

core-cost-program: PACKAGES += valgrind
core-cost-program: packages
	swift build --package-path Soak --scratch-path "$(BUILD)/soak" -j $(JOBS) --configuration release -Xswiftc -enable-testing --product CoreCost

# Kills and stops hosts under load, shifts their clocks, takes disk, descriptors, processes and memory away, damages files,
# and checks their promises; Tests/Torture/run --help lists them.
# Needs a debug build.
torture: build
	Tests/Torture/run "$(BUILD)/debug" --rounds $(ROUNDS) --fault-minutes $(FAULTS_MINUTES)

# Chains of launches, each for a request that the previous launch submitted after its last completion.
LINKS ?= 1000
chains: packages
	BGTASK_CHAIN_LINKS="$(LINKS)" swift test $(SWIFT_FLAGS) --filter LongChainTests

# Changes one operator, condition, constant or statement of the scheduler at a time, and lists the changes that no test
# of the core detects.
mutants: packages
	Soak/mutants/run --build "$(BUILD)" --count $(COUNT) --seed $(SEED)

# Searches for inputs that break a reader of outside data. All modules are compiled with AddressSanitizer and with the
# coverage of LLVM's fuzzer, in a build directory of their own. A finding is stored in Fuzz/Findings.
FUZZER = $(shell clang -print-resource-dir)/lib/linux/libclang_rt.fuzzer_no_main-$(shell uname -m).a
fuzz: packages
	BGTASK_MUTANTS=$(MUTANTS) swift test $(SWIFT_FLAGS) --filter MutatedLibraryTests
	swift build --package-path Fuzz --scratch-path "$(BUILD)/fuzz" -j $(JOBS) -c release --sanitize address \
	    -Xswiftc -enable-testing \
	    -Xswiftc -sanitize-coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table \
	    -Xlinker "$(FUZZER)" -Xlinker -lstdc++
	Fuzz/run --build "$(BUILD)/fuzz" --minutes $(MINUTES) $(FUZZ)

build: packages
	for program in $(PROGRAMS); do swift build $(SWIFT_FLAGS) --product $$program || exit; done

# Also the host's transfer library, which a host of this build finds beside the plugins.
# Renamed into place, like the plugins in C and C++: a host that watches the directory only reads complete libraries.
plugins: packages
	$(MAKE) -C Plugins OUT="$(abspath $(PLUGINS))"
	$(MAKE) -C Transfer OUT="$(abspath $(PLUGINS))"
	for plugin in $(SWIFT_PLUGINS); do swift build $(SWIFT_FLAGS) --product $$plugin || exit; done
	for plugin in $(SWIFT_PLUGINS); do \
	    cp "$(BUILD)/debug/lib$$plugin.so" "$(PLUGINS)/.objects" \
	    && mv "$(PLUGINS)/.objects/lib$$plugin.so" "$(PLUGINS)" || exit; done

# Results as table, JSON and chart in $(BENCH)/results. Requires an idle machine; takes about five minutes.
bench: bench-programs
	$(BENCHMARK) SubmitToHandler $(BENCHED)
	$(BENCHMARK) Throughput $(BENCHED)
	$(BENCHMARK) Results $(BENCHED)

# Other job queues and bgtask with the same work, added to the same results. PEERS= passes options to Benchmarks/Peers/run,
# such as --rounds 20.
PEERS ?=
PEER_PACKAGES = huey==3.5.4 rq==3.0.0 celery==5.7.0 redis==8.1.0 packaging==26.4
PEER_PYTHON = $(BENCH)/peers/bin/python
bench-peers: PACKAGES += task-spooler nq redis-tools python3-venv
bench-peers: bench-programs
	python3 -m venv "$(BENCH)/peers"
	"$(PEER_PYTHON)" -m pip install --quiet $(PEER_PACKAGES)
	"$(PEER_PYTHON)" Benchmarks/Peers/run $(BENCHED) $(PEERS) > "$(BENCH)/peers.jsonl"
	$(BENCHMARK) Results $(BENCHED) 6-peers "Job queues with the same work" < "$(BENCH)/peers.jsonl"

# A feeder of a fleet against a bare client of the same statements, added to the same results. FLEET_ITEMS is the number
# of items of each measurement.
FLEET_ITEMS ?= 20000
bench-fleet: bench-programs
	Benchmarks/Fleet/run $(BENCHED) --items $(FLEET_ITEMS) > "$(BENCH)/fleet.jsonl"
	$(BENCHMARK) Results $(BENCHED) 7-fleet "A feeder and the database of its fleet" < "$(BENCH)/fleet.jsonl"

# Measures a host under floods and with a million pending requests; results in $(BENCH)/size.md. Most of it takes some
# minutes; the two populations are prepared once. Fails when a hostile plugin more than doubles the latency of an ordinary one.
bench-size: bench-programs
	for part in "floods none" "floods calls" "floods cancellations" "floods frames" \
	    "lists prepare" "lists measure" forecasts "start prepare" "start measure"; do \
	    $(BENCHMARK) HostAtSize $(BENCHED) $$part || exit; done
	$(MAKE) --no-print-directory core-cost > "$(BENCH)/core-cost.txt"
	$(BENCHMARK) HostAtSize $(BENCHED) hostile; status=$$?; \
	    $(BENCHMARK) HostAtSize $(BENCHED) table && exit $$status

# Only the forecasts of bench-size: of a host with 100,000 pending requests. Fails when the host answers few other calls
# during one.
bench-forecast: bench-programs
	for part in "lists prepare" forecasts; do $(BENCHMARK) HostAtSize $(BENCHED) $$part || exit; done

# The hostile plugins of the tests, beside which an ordinary plugin is measured.
HOSTILE := Attacks StartsThreads RepeatsRefusedCall UsesSockets AllocatesMemory WritesWithoutEnd FillsDisk FloodsLog \
    FloodsOutput FloodsSubmissions FloodsChannel WritesControlCharacters WritesToChannel \
    ClosesDescriptors StopsItself LoopInHandler LoopInEntry Deaf CrashInHandler CrashInConstructor LeavesChild ForkBomb

# The flood of frames uses the plugin of the tests, so that both write the same frames.
# Replays a week of 100 plugins with each shipped trace, in the release build. A week should take less than 5 s of processor
# time; the last column of each line is that time in seconds.
bench-replay: release
	for trace in laptop office server; do \
	    bash -c 'TIMEFORMAT="$$0 %U"; time "$$1" replay week --count 100 --conditions "Demo/replays/$$0.yaml" > /dev/null' \
	        $$trace "$(BUILD)/release/bgtask" || exit; done

bench-programs: release
	mkdir -p "$(BENCH)"
	for plugin in Benchmarks/Plugins/Stamp Benchmarks/Plugins/Polls Benchmarks/Plugins/FloodsCalls Benchmarks/Plugins/Overstays \
	    Benchmarks/Plugins/Noop Benchmarks/Plugins/Expires $(addprefix Tests/MisbehavingPlugins/,$(HOSTILE)); do \
	    cc -O2 -shared -fPIC -I SDK/Sources/CBackgroundTasks/include $$plugin.c -o "$(BENCH)/lib$$(basename $$plugin).so" || exit; done
	cc -O2 -shared -fPIC Benchmarks/Plugins/Bare.c -o "$(BENCH)/libBare.so"
	cc -O2 Benchmarks/Plugins/Call.c -lffi -o "$(BENCH)/Call"
	cc -O2 Benchmarks/Plugins/Floor.c -lseccomp -o "$(BENCH)/Floor"
	cc -O2 -pthread Benchmarks/Plugins/Kills.c -o "$(BENCH)/Kills"
	cc -O2 Benchmarks/Plugins/Commits.c -lsqlite3 -o "$(BENCH)/Commits"
	cc -O2 Benchmarks/Plugins/Spawns.c -o "$(BENCH)/Spawns"
	cc -O2 Benchmarks/Plugins/Timers.c -o "$(BENCH)/Timers"
	cc -O2 Benchmarks/Plugins/Record.c Benchmarks/Plugins/Bare.c -o "$(BENCH)/Record"
	swift build --package-path Benchmarks --scratch-path "$(BENCH)/.build" -c release

# The other directories of Fuzz/Sources are links into Sources and Tests.
FUZZ_SOURCES = Fuzz/Package.swift $(wildcard Fuzz/Sources/Fuzz[!E]*)

lint:
	swift format lint --strict --recursive --parallel Package.swift Plugins SDK/Package.swift SDK/Sources Sources Tests Benchmarks/Package.swift Benchmarks/Sources Soak/Package.swift Soak/mutants/Package.swift Soak/mutants/Sources $(FUZZ_SOURCES) || { \
	    echo "the format of a file differs from .swift-format; run make format, then correct what it leaves"; exit 1; }
	Tests/statements --check
	Tests/documentation --check
	Tests/Fixtures/check
	Packaging/check-units

format:
	swift format --in-place --recursive --parallel Package.swift Plugins SDK/Package.swift SDK/Sources Sources Tests Benchmarks/Package.swift Benchmarks/Sources Soak/Package.swift Soak/mutants/Package.swift Soak/mutants/Sources $(FUZZ_SOURCES)

# The generated parts of Documentation: the tests for each statement of the semantics, and the picture of the targets.
statements:
	Tests/statements
	Tests/documentation

# Records the layouts and types of bgtask.h, with which make test compares the header.
abi-renew: packages
	Tests/ABI/check renew

# The package of vendors alone. A warning is an error here, and not in a vendor's build.
sdk-build: packages
	swift build --package-path SDK --scratch-path "$(SDK)" -j $(JOBS) --explicit-target-dependency-import-check error \
	    -Xswiftc -warnings-as-errors -Xcc -Werror

# The package of vendors as a git repository of its own in DEST, with a tag of the version.
DEST ?=
sdk:
	Packaging/sdk "$(DEST)"

# Compares the public API of its modules with SDK/Baseline, as make test does. With each release, make api-renew records
# the API.
api: sdk-build
	SDK/Baseline/check "$(SDK)/debug"
api-renew: sdk-build
	SDK/Baseline/check "$(SDK)/debug" renew

# The pages of the modules for plugins. A warning is an error, and so is an undocumented public symbol.
#     make docs && python3 -m http.server -d .build/docs       then /documentation/backgroundtasks
docs: sdk-build
	rm -rf "$(DOCS)" "$(BUILD)/symbols" && mkdir -p "$(BUILD)/symbols"
	for module in $(MODULES); do \
	    swift symbolgraph-extract -module-name $$module -target $$(uname -m)-unknown-linux-gnu -I "$(SDK)/debug/Modules" \
	        $$(printf -- '-Xcc -fmodule-map-file=%s ' "$(SDK)"/debug/CBackgroundTasks*.build/module.modulemap) \
	        -Xcc -ISDK/Sources/CBackgroundTasks/include \
	        -minimum-access-level public -skip-inherited-docs -skip-synthesized-members -output-dir "$(BUILD)/symbols" \
	        || exit; \
	done
	docc convert SDK/Sources/BackgroundTasks/BackgroundTasks.docc --additional-symbol-graph-dir "$(BUILD)/symbols" \
	    --fallback-display-name BackgroundTasks --fallback-bundle-identifier bgtask.BackgroundTasks --warnings-as-errors \
	    --experimental-documentation-coverage --coverage-summary-level brief --output-dir "$(DOCS)"
	@python3 -c 'import json, sys; sys.exit("\n".join("undocumented: " + page["title"] for page in json.load(sys.stdin) \
	    if page["kind"]["isSymbol"] and not page["hasAbstract"]) or 0)' < "$(DOCS)/documentation-coverage.json"

# Programs with a static Swift runtime: an installation needs no toolchain.
# The runner contains no Foundation. The other programs get only the data of ICU that they use.
release: packages
	Packaging/icu-data "$(BUILD)/icu"
	for program in bgtask bgtaskd bgtask-feeder; do \
	    swift build $(SWIFT_FLAGS) $(RELEASE) -Xlinker "$(abspath $(BUILD))/icu/icu.ld" --product $$program || exit; done
	swift build $(SWIFT_FLAGS) $(RELEASE) --product bgtask-runner

# The tool that generates manuals is part of the argument parser library; running its help builds it.
install: release
	swift package --scratch-path $(BUILD) plugin generate-manual --help > /dev/null
	$(MAKE) -C Packaging install $(INSTALLED)

# Debian packages of the same programs, in $(BUILD)/deb: bgtask, bgtask-dev and bgtask-feeder.
deb: PACKAGES += debhelper dpkg-dev
deb: release
	swift package --scratch-path $(BUILD) plugin generate-manual --help > /dev/null
	env $(INSTALLED) OUT="$(abspath $(BUILD))/deb" COMPRESSION=$(or $(COMPRESSION),xz) debian/rules clean binary

# The package on a booted Debian, with an upgrade. PREVIOUS names an earlier package to upgrade from.
try-deb: PACKAGES += debootstrap systemd-container pkg-config
try-deb: packages
	CACHE="$(abspath $(BUILD))/debian-packages" Packaging/try-deb $(DEB) $(PREVIOUS)

# The package under Debian's own kernel in qemu: the guarantees that depend on the kernel. Uses the package that make deb
# has built.
try-vm: PACKAGES += debootstrap qemu-system-x86 cpio pkg-config openssl
try-vm: packages
	CACHE="$(abspath $(BUILD))/debian-packages" Packaging/try-vm $(DEB)

packages:
	@missing=$$(for p in $(PACKAGES); do \
	    dpkg-query -W -f '$${Status}' $$p 2>/dev/null | grep -q 'install ok installed' || echo $$p; done); \
	if [ -n "$$missing" ]; then \
	    echo "installing:" $$missing; \
	    sudo=$$([ "$$(id -u)" -eq 0 ] || echo sudo); \
	    $$sudo apt-get update -q && $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $$missing; \
	fi

clean:
	rm -rf $(BUILD)
