// swift-tools-version: 6.3
// One section per target, in the order of dependencies, each followed by its tests; described in
// Documentation/Architecture.md.

import PackageDescription

/// The released programs export no symbols, so that the linker drops unused code, and pack their relocations.
let smallerPrograms: [LinkerSetting] = [
    .unsafeFlags(
        ["-use-ld=lld", "-Xlinker", "--no-export-dynamic", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"],
        .when(configuration: .release)
    )
]

let package = Package(
    name: "bgtask",
    products: [
        .executable(name: "bgtaskd", targets: ["bgtaskd"]),
        .executable(name: "bgtask", targets: ["bgtask"]),
        .executable(name: "bgtask-runner", targets: ["bgtask-runner"]),
        .executable(name: "bgtask-feeder", targets: ["bgtask-feeder"]),
        // An example plugin, built as a vendor would; make plugins puts it beside the examples in C and C++.
        .library(name: "ColorFeed", type: .dynamic, targets: ["ColorFeed"]),
        // Plugins that the tests load, and no program links.
        .library(name: "SwiftPlugin5", type: .dynamic, targets: ["SwiftPlugin5"]),
        .library(name: "SwiftPlugin6", type: .dynamic, targets: ["SwiftPlugin6"]),
        .library(name: "SwiftPluginMain", type: .dynamic, targets: ["SwiftPluginMain"]),
    ],
    dependencies: [
        .package(name: "bgtask-sdk", path: "SDK"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // MARK: SDK, the package of vendors: its tests that need targets of the host

        .testTarget(
            name: "HeaderTests",
            dependencies: [
                "StatementTraits", "TaskModel", .product(name: "CBackgroundTasks", package: "bgtask-sdk"),
            ]
        ),
        .testTarget(
            name: "BackgroundTasksTests",
            dependencies: [
                "StatementTraits", "TaskModel",
                .product(name: "BackgroundTasks", package: "bgtask-sdk"),
                .product(name: "BackgroundTasksApp", package: "bgtask-sdk"),
                .product(name: "CBackgroundTasks", package: "bgtask-sdk"),
            ]
        ),

        // MARK: Plugins in Swift

        // A test links one plugin at most: their entries would collide.
        .target(
            name: "ColorFeed",
            dependencies: [
                .product(name: "BackgroundTasks", package: "bgtask-sdk"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Plugins/ColorFeed"
        ),
        .testTarget(
            name: "ColorFeedTests",
            dependencies: [
                "ColorFeed", "StatementTraits", .product(name: "BackgroundTasks", package: "bgtask-sdk"),
                .product(name: "BackgroundTasksApp", package: "bgtask-sdk"),
                .product(name: "BackgroundTasksTesting", package: "bgtask-sdk"),
            ]
        ),

        // One source in both language modes, built as a vendor would. Never a dependency: their entries would collide. Like
        // all targets they compile without a warning, which proves that an app's own Sendable conformances do not warn.
        .target(
            name: "SwiftPlugin5",
            dependencies: [
                .product(name: "BackgroundTasks", package: "bgtask-sdk"),
                .product(name: "BackgroundTasksApp", package: "bgtask-sdk"),
            ],
            path: "Tests/SwiftPlugins/Swift5",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .target(
            name: "SwiftPlugin6",
            dependencies: [
                .product(name: "BackgroundTasks", package: "bgtask-sdk"),
                .product(name: "BackgroundTasksApp", package: "bgtask-sdk"),
            ],
            path: "Tests/SwiftPlugins/Swift6",
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        .target(
            name: "SwiftPluginMain",
            dependencies: [
                .product(name: "BackgroundTasks", package: "bgtask-sdk"),
                .product(name: "BackgroundTasksMain", package: "bgtask-sdk"),
            ],
            path: "Tests/SwiftPlugins/Main"
        ),

        // MARK: CLinux, the system calls that Glibc's module leaves out

        .target(name: "CLinux"),

        // MARK: CFFI, the types of the library that calls bound functions; only the runner loads it

        .systemLibrary(name: "CFFI", providers: [.apt(["libffi-dev"])]),

        // MARK: CTransferHost, the interface between the runner and the host's transfer library

        .systemLibrary(name: "CTransferHost"),

        // MARK: CSeccomp, the library that compiles filters of system calls; only the host links it

        .systemLibrary(name: "CSeccomp", providers: [.apt(["libseccomp-dev"])]),

        // MARK: CPostgreSQL, the client library of PostgreSQL; only bgtask-feeder links it

        .systemLibrary(name: "CPostgreSQL", providers: [.apt(["libpq-dev"])]),

        // MARK: TaskModel, the values that targets exchange

        .target(name: "TaskModel"),
        .testTarget(name: "TaskModelTests", dependencies: ["StatementTraits", "TaskModel"]),

        // MARK: Fleet, the rules of a fleet: items, leases, and the steps of a feeder

        .target(name: "Fleet", dependencies: ["TaskModel"]),
        .testTarget(name: "FleetTests", dependencies: ["Fleet", "TaskModel"]),

        // MARK: LinuxSystem, owns kernel objects of several targets: descriptors, epoll, threads, clocks, files, errors

        .target(name: "LinuxSystem", dependencies: ["CLinux", "TaskModel"]),

        // MARK: LocatedYAML, reads the keys of a YAML file by type and reports each problem at its line

        .target(
            name: "LocatedYAML",
            dependencies: ["LinuxSystem", "TaskModel", .product(name: "Yams", package: "Yams")]
        ),
        .testTarget(name: "LocatedYAMLTests", dependencies: ["LocatedYAML"]),

        // MARK: PluginBinary, reads a library as plain bytes and never loads it

        .target(name: "PluginBinary", dependencies: ["LinuxSystem", "TaskModel"]),
        .testTarget(
            name: "PluginBinaryTests",
            dependencies: ["HostTestKit", "LinuxSystem", "PluginBinary", "StatementTraits", "TaskModel"]
        ),

        // MARK: Scheduling, decides which tasks run and when, and processes their outcomes

        .target(
            name: "Scheduling",
            dependencies: [
                "TaskModel", .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ]
        ),
        .testTarget(name: "SchedulingTests", dependencies: ["Scheduling", "StatementTraits", "TaskModel"]),

        // MARK: TaskLedger, the one database: pending, running, journal

        .target(
            name: "TaskLedger",
            dependencies: [
                "LinuxSystem", "TaskModel", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .testTarget(
            name: "TaskLedgerTests",
            dependencies: [
                "LinuxSystem", "StatementTraits", "TaskLedger", "TaskModel",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),

        // MARK: RunnerWire, the messages between host and runner and their frames

        .target(name: "RunnerWire", dependencies: ["TaskModel"]),
        .testTarget(name: "RunnerWireTests", dependencies: ["RunnerWire", "StatementTraits", "TaskModel"]),

        // MARK: Sandbox, confines a runner: Landlock, a filter of system calls, resource limits

        .target(name: "Sandbox", dependencies: ["CLinux", "LinuxSystem", "RunnerWire", "TaskModel"]),

        // MARK: SandboxPolicy, decides the sandbox of a launch from its grants and the mechanisms of the kernel

        .target(
            name: "SandboxPolicy",
            dependencies: ["CLinux", "CSeccomp", "RunnerWire", "Sandbox", "TaskModel"]
        ),
        .testTarget(
            name: "SandboxPolicyTests",
            dependencies: [
                "CSeccomp", "HostTestKit", "LinuxSystem", "RunnerWire", "Sandbox", "SandboxPolicy", "TaskModel",
            ]
        ),

        // MARK: MessageBus, follows properties and signals of other programs over D-Bus, without blocking

        .target(name: "MessageBus", dependencies: ["LinuxSystem", "TaskModel"]),
        .testTarget(
            name: "MessageBusTests",
            dependencies: ["BusTestKit", "CLinux", "LinuxSystem", "MessageBus", "TaskModel"]
        ),

        // MARK: BusTestKit, a message bus with mock services for the length of one test

        .target(name: "BusTestKit", path: "Tests/BusTestKit", exclude: ["mock-services.py"]),

        // MARK: HostConditions, samples the state of the machine: power, network, idleness, load, memory, heat

        .target(name: "HostConditions", dependencies: ["CLinux", "LinuxSystem", "MessageBus", "TaskModel"]),
        .testTarget(
            name: "HostConditionsTests",
            dependencies: [
                "BusTestKit", "CLinux", "HostConditions", "LinuxSystem", "MessageBus", "StatementTraits", "TaskModel",
            ]
        ),

        // MARK: Signatures, verifies signatures of OpenSSH, and decides which keys may sign for a plugin

        .target(name: "Signatures", dependencies: [.product(name: "Crypto", package: "swift-crypto")]),
        .testTarget(
            name: "SignaturesTests",
            dependencies: ["HostTestKit", "Signatures", .product(name: "Crypto", package: "swift-crypto")]
        ),

        // MARK: PluginCatalogue, decides which manifests and libraries are installed plugins

        .target(
            name: "PluginCatalogue",
            dependencies: [
                "LinuxSystem", "LocatedYAML", "PluginBinary", "Signatures", "TaskModel",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "PluginCatalogueTests",
            dependencies: [
                "HostTestKit", "LinuxSystem", "LocatedYAML", "PluginCatalogue", "PluginChecker", "StatementTraits",
                "TaskModel",
            ]
        ),

        // MARK: Replay, runs the scheduler under a virtual clock for a simulated week

        .target(
            name: "Replay",
            dependencies: [
                "LocatedYAML", "Scheduling", "TaskModel",
                .product(name: "HeapModule", package: "swift-collections"),
            ]
        ),
        .testTarget(name: "ReplayTests", dependencies: ["LocatedYAML", "Replay", "Scheduling", "TaskModel"]),

        // MARK: FleetSimulation, runs schedulers and feeder cores against a modelled queue, with random faults

        .target(
            name: "FleetSimulation",
            dependencies: [
                "Fleet", "Scheduling", "TaskModel", .product(name: "HeapModule", package: "swift-collections"),
            ],
            path: "Tests/FleetSimulation"
        ),
        .testTarget(name: "FleetSimulationTests", dependencies: ["FleetSimulation"]),

        // MARK: PluginChecker, reports by check whether a host would accept a plugin

        .target(
            name: "PluginChecker",
            dependencies: ["LinuxSystem", "LocatedYAML", "PluginBinary", "PluginCatalogue", "TaskModel"]
        ),
        .testTarget(name: "PluginCheckerTests", dependencies: ["HostTestKit", "PluginCatalogue", "PluginChecker"]),

        // MARK: PluginLaunch, starts runners, carries messages, ends processes on time

        .target(
            name: "PluginLaunch",
            dependencies: [
                "CLinux", "LinuxSystem", "RunnerWire", "SandboxPolicy", "TaskModel",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "PluginLaunchTests",
            dependencies: [
                "CLinux", "CSeccomp", "LinuxSystem", "PluginBinary", "PluginLaunch", "RunnerWire", "SandboxPolicy",
                "StatementTraits", "TaskModel", .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // MARK: PluginRuntime, the inside of a runner: loads one plugin, runs one batch, reports, exits

        .target(
            name: "PluginRuntime",
            dependencies: [
                "CFFI", "CLinux", "CTransferHost", "LinuxSystem", "PluginBinary", "RunnerWire", "Sandbox",
                "TaskModel", .product(name: "CBackgroundTasks", package: "bgtask-sdk"),
            ]
        ),
        .testTarget(
            name: "PluginRuntimeTests",
            dependencies: [
                "PluginRuntime", "RunnerWire", "StatementTraits", "TaskModel",
                .product(name: "CBackgroundTasks", package: "bgtask-sdk"),
            ]
        ),

        // MARK: ControlAPI, the routes and bodies of the control API

        .target(name: "ControlAPI", dependencies: ["TaskModel"], resources: [.embedInCode("openapi.yaml")]),
        .testTarget(
            name: "ControlAPITests",
            dependencies: ["ControlAPI", "HostConditions", "HostTestKit", "StatementTraits", "TaskModel"]
        ),

        // MARK: ControlClient, calls a host over its control socket; no part of the host

        .target(
            name: "ControlClient",
            dependencies: [
                "ControlAPI", "TaskModel", .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "ControlClientTests",
            dependencies: [
                "ControlAPI", "ControlClient", "TaskModel", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),

        // MARK: HostConfiguration, reads the configuration of a host: defaults, file, flags

        .target(
            name: "HostConfiguration",
            dependencies: [
                "ControlAPI", "HostConditions", "LinuxSystem", "LocatedYAML", "Scheduling", "Signatures", "TaskModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "HostConfigurationTests",
            dependencies: [
                "ControlAPI", "HostConfiguration", "HostTestKit", "PluginCatalogue", "Scheduling", "TaskModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // MARK: HostService, the host: catalogue, ledger, launches and routes around the scheduling core

        .target(
            name: "HostService",
            dependencies: [
                "CLinux", "ControlAPI", "HostConditions", "HostConfiguration", "LinuxSystem", "LocatedYAML",
                "PluginCatalogue", "PluginLaunch", "Replay", "RunnerWire", "SandboxPolicy", "Scheduling", "Signatures",
                "TaskLedger",
                "TaskModel", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        .testTarget(
            name: "HostServiceTests",
            dependencies: [
                "CLinux", "CSeccomp", "ControlAPI", "HostConditions", "HostConfiguration", "HostService",
                "HostTestKit", "LinuxSystem", "PluginCatalogue", "PluginLaunch", "Replay", "RunnerWire",
                "SandboxPolicy", "Scheduling", "StatementTraits", "TaskLedger",
                "TaskModel",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // MARK: HostDoctor, examines everything that a host reads at its start, and changes nothing

        .target(
            name: "HostDoctor",
            dependencies: [
                "CLinux", "HostConfiguration", "LinuxSystem", "LocatedYAML", "PluginCatalogue", "SandboxPolicy",
                "Scheduling", "TaskLedger", "TaskModel",
            ]
        ),

        // MARK: HostBackup, makes backups of hosts and restores them

        .target(
            name: "HostBackup",
            dependencies: [
                "CLinux", "ControlAPI", "HostConfiguration", "HostDoctor", "LinuxSystem", "PluginCatalogue",
                "Signatures",
                "TaskLedger", "TaskModel", .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "HostBackupTests",
            dependencies: [
                "HostBackup", "HostConfiguration", "HostTestKit", "LinuxSystem", "Signatures",
            ]
        ),

        // MARK: PluginInstaller, puts a plugin's files in place or removes them, all or none

        .target(
            name: "PluginInstaller",
            dependencies: [
                "ControlAPI", "ControlClient", "LinuxSystem", "LocatedYAML", "PluginBinary", "PluginCatalogue",
                "PluginChecker", "Scheduling", "Signatures", "TaskModel",
            ]
        ),
        .testTarget(name: "PluginInstallerTests", dependencies: ["HostTestKit", "LinuxSystem", "PluginInstaller"]),

        // MARK: FunctionTrial, calls one function of a library in a runner of its own

        .target(
            name: "FunctionTrial",
            dependencies: [
                "LinuxSystem", "PluginBinary", "PluginLaunch", "RunnerWire", "SandboxPolicy", "TaskModel",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // MARK: PluginTrial, runs launches of one plugin without a host, by a script

        .target(
            name: "PluginTrial",
            dependencies: [
                "CLinux", "LinuxSystem", "PluginBinary", "PluginLaunch", "RunnerWire", "SandboxPolicy", "Scheduling",
                "TaskModel", .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "PluginTrialTests",
            dependencies: ["LinuxSystem", "PluginLaunch", "PluginTrial", "RunnerWire", "TaskModel"]
        ),

        // MARK: PluginConformance, checks a plugin against the rules of the ABI, in trials

        .target(
            name: "PluginConformance",
            dependencies: [
                "PluginBinary", "PluginChecker", "PluginLaunch", "PluginTrial", "RunnerWire", "SandboxPolicy",
                "TaskModel",
            ]
        ),
        .testTarget(
            name: "PluginConformanceTests",
            dependencies: ["HostTestKit", "PluginChecker", "PluginConformance", "PluginTrial", "TaskModel"]
        ),

        // MARK: TerminalText, lays out text for a terminal: columns, fields, times in the reader's zone

        .target(name: "TerminalText", dependencies: ["CLinux", "ControlAPI", "TaskModel"]),
        .testTarget(name: "TerminalTextTests", dependencies: ["TerminalText"]),

        // MARK: HostMonitor, shows a host live on a terminal

        .target(name: "HostMonitor", dependencies: ["ControlAPI", "ControlClient", "TaskModel", "TerminalText"]),
        .testTarget(
            name: "HostMonitorTests",
            dependencies: ["ControlAPI", "HostMonitor", "HostTestKit", "TaskModel", "TerminalText"]
        ),

        // MARK: PushGateway, accepts pushes of remote senders over HTTP/2 and webhooks; no part of the host

        .target(
            name: "PushGateway",
            dependencies: [
                "ControlAPI", "ControlClient", "LinuxSystem", "TaskModel",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        .testTarget(
            name: "PushGatewayTests",
            dependencies: [
                "ControlAPI", "ControlClient", "HostTestKit", "LinuxSystem", "PushGateway", "StatementTraits",
                "TaskModel",
                .product(name: "Crypto", package: "swift-crypto"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),

        // MARK: HostPage, serves the page for operators on the loopback interface; no part of the host

        .target(
            name: "HostPage",
            dependencies: [
                "ControlAPI", "ControlClient", "LinuxSystem", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            resources: [
                "actions.js", "api.js", "commands.js", "conditions.js", "dom.js", "forecasts.js", "icon.svg",
                "index.html",
                "launches.js", "live.js", "main.js", "page.css", "parts.js", "places.js", "screen-journal.js",
                "screen-launch.js", "screen-now.js", "screen-plugin.js", "screen-plugins.js", "screen-pushes.js",
                "screen-task.js", "screen-timeline.js", "screen-transfers.js", "screen-whatif.js", "session.js",
                "timeline.js", "times.js", "waits.js", "whatif.js",
            ].map { .embedInCode("Resources/\($0)") }
        ),
        .testTarget(
            name: "HostPageTests",
            dependencies: ["ControlAPI", "HostPage", "HostTestKit", .product(name: "NIOHTTP1", package: "swift-nio")]
        ),

        // MARK: FleetDatabase, the schema of a fleet in PostgreSQL and a client of its functions; no part of the host

        .target(
            name: "FleetDatabase",
            dependencies: ["CPostgreSQL"],
            resources: [
                "duties.sql", "grants.sql", "hosts.sql", "migration.sql", "roles.sql", "rules.sql", "submissions.sql",
                "tables-1.sql", "tables-2.sql", "views.sql",
            ].map { .embedInCode("Resources/\($0)") }
        ),
        .testTarget(
            name: "FleetDatabaseTests",
            dependencies: ["ControlAPI", "ControlClient", "FleetDatabase", "HostTestKit"]
        ),

        // MARK: FleetFeeder, claims work of a fleet for one host and reports its ends; no part of the host

        .target(
            name: "FleetFeeder",
            dependencies: [
                "ControlAPI", "ControlClient", "Fleet", "FleetDatabase", "LinuxSystem", "TaskModel",
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "FleetFeederTests",
            dependencies: ["ControlAPI", "Fleet", "FleetDatabase", "FleetFeeder", "TaskModel"]
        ),

        // MARK: Commands, the commands for operators and vendors, and the rendering of their results

        .target(
            name: "Commands",
            dependencies: [
                "ControlAPI", "ControlClient", "FunctionTrial", "HostBackup", "HostConfiguration", "HostDoctor",
                "HostMonitor", "HostPage",
                "LinuxSystem", "LocatedYAML", "MessageBus", "PluginBinary", "PluginCatalogue", "PluginChecker",
                "PluginConformance", "PluginInstaller", "PluginLaunch", "PluginTrial", "PushGateway", "Replay",
                "RunnerWire",
                "SandboxPolicy",
                "Scheduling", "Signatures", "TaskModel", "TerminalText",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        .testTarget(
            name: "CommandsTests",
            dependencies: [
                "Commands", "ControlAPI", "ControlClient", "FunctionTrial", "HostConfiguration", "HostMonitor",
                "HostTestKit", "LinuxSystem", "PluginCatalogue", "PluginChecker", "PluginInstaller", "Replay",
                "SandboxPolicy", "TaskModel", "TerminalText",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),

        // MARK: HostTestKit, a real host in a directory of its own for the length of one test

        .target(
            name: "HostTestKit",
            dependencies: [
                "CLinux", "ControlAPI", "ControlClient", "LinuxSystem", "TaskModel",
                .product(name: "Yams", package: "Yams"),
            ],
            path: "Tests/HostTestKit"
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "ControlAPI", "ControlClient", "HostTestKit", "PluginCatalogue", "PluginConformance", "StatementTraits",
                "TaskLedger",
                "TaskModel", .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),

        // MARK: VendorTests, the work of a vendor: new plugins, their unit tests, and an installation

        .testTarget(name: "VendorTests", dependencies: ["ControlAPI", "HostTestKit"], exclude: ["Programs"]),

        // MARK: StatementTraits, marks tests as the proofs of statements in Documentation/Semantics.md

        .target(name: "StatementTraits", path: "Tests/StatementTraits"),

        // MARK: FuzzEntries, the readers of outside data as the fuzzer calls them; make fuzz builds them in Fuzz

        .target(
            name: "FuzzEntries",
            dependencies: [
                "CLinux", "ControlAPI", "HostService", "LinuxSystem", "LocatedYAML", "PluginBinary", "PluginCatalogue",
                "PluginLaunch", "PluginRuntime", "RunnerWire", "Scheduling", "TaskModel",
            ],
            path: "Tests/FuzzEntries"
        ),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzEntries", "TaskModel"]),

        // MARK: PackageTests, checks that each target imports only its declared dependencies

        .testTarget(name: "PackageTests", dependencies: ["HostTestKit", "StatementTraits"]),

        // MARK: Programs

        .target(name: "CKeptPriority"),
        .executableTarget(
            name: "bgtaskd",
            dependencies: [
                "CKeptPriority", "HostConfiguration", "HostService", "TaskModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            linkerSettings: smallerPrograms
        ),
        .executableTarget(
            name: "bgtask",
            dependencies: ["Commands"],
            linkerSettings: smallerPrograms
        ),
        // The only program that links libpq.
        .executableTarget(
            name: "bgtask-feeder",
            dependencies: [
                "ControlAPI", "ControlClient", "Fleet", "FleetDatabase", "FleetFeeder", "TaskModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            linkerSettings: smallerPrograms
        ),
        // A plugin may bring its own Swift runtime. The runner's runtime and symbols must not be visible to it.
        // lld packs the 29,000 relocations of the runtime, which each runner applies before its first instruction.
        .executableTarget(
            name: "bgtask-runner",
            dependencies: ["PluginRuntime"],
            exclude: ["Link"],
            linkerSettings: [
                .unsafeFlags([
                    "-static-stdlib", "-Xlinker", "--no-export-dynamic", "-Xclang-linker", "-static-libgcc",
                    "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
                    "-L", "\(Context.packageDirectory)/Sources/bgtask-runner/Link",
                ])
            ]
        ),
    ]
)

let upcomingFeatures = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]

for target in package.targets where target.type != .system {
    // Plugins are compiled with the default features, as vendors compile them.
    let isPlugin = target.name == "ColorFeed" || target.name.hasPrefix("SwiftPlugin")
    let features = isPlugin ? [] : upcomingFeatures
    target.swiftSettings = (target.swiftSettings ?? []) + features.map { .enableUpcomingFeature($0) }
    target.swiftSettings?.append(.treatAllWarnings(as: .error))
}
