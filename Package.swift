// swift-tools-version: 6.2
// One section per target, ground floor first, tests beside what they test. README.md says what each one is.

import PackageDescription

let package = Package(
    name: "bgtask",
    products: [
        .executable(name: "bgtaskd", targets: ["bgtaskd"]),
        .executable(name: "bgtask", targets: ["bgtask"]),
        .executable(name: "bgtask-runner", targets: ["bgtask-runner"]),
        .library(name: "CBackgroundTasks", targets: ["CBackgroundTasks"]),
        .library(name: "BackgroundTasks", targets: ["BackgroundTasks"]),
        // An example plugin, built as its author would; make plugins puts it beside those in C and C++.
        .library(name: "ColorFeed", type: .dynamic, targets: ["ColorFeed"]),
        // Plugins that the tests load, and no program links.
        .library(name: "SwiftPlugin5", type: .dynamic, targets: ["SwiftPlugin5"]),
        .library(name: "SwiftPlugin6", type: .dynamic, targets: ["SwiftPlugin6"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // MARK: CBackgroundTasks, the contract with plugins

        .target(name: "CBackgroundTasks"),
        .testTarget(name: "HeaderTests", dependencies: ["CBackgroundTasks"]),

        // MARK: BackgroundTasks, the same for plugins in Swift, as on Apple's platforms

        .target(name: "BackgroundTasks", dependencies: ["CBackgroundTasks"]),
        .testTarget(
            name: "BackgroundTasksTests",
            dependencies: ["BackgroundTasks", "CBackgroundTasks", "TaskModel"]
        ),

        // Never a dependency, like every plugin: their entries would collide.
        .target(
            name: "ColorFeed",
            dependencies: ["BackgroundTasks", .product(name: "GRDB", package: "GRDB.swift")],
            path: "Plugins/ColorFeed"
        ),

        // One source in both language modes, as its author would build it. Never a dependency: their entries would collide.
        .target(
            name: "SwiftPlugin5",
            dependencies: ["BackgroundTasks"],
            path: "Tests/SwiftPlugins/Swift5",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .target(
            name: "SwiftPlugin6",
            dependencies: ["BackgroundTasks"],
            path: "Tests/SwiftPlugins/Swift6",
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),

        // MARK: CLinux, system calls that Glibc's module leaves out

        .target(name: "CLinux"),

        // MARK: CFFI, the types of the library that calls bound functions; only the runner loads it

        .systemLibrary(name: "CFFI", providers: [.apt(["libffi-dev"])]),

        // MARK: TaskModel

        .target(name: "TaskModel"),
        .testTarget(name: "TaskModelTests", dependencies: ["TaskModel"]),

        // MARK: PluginBinary

        .target(name: "PluginBinary", dependencies: ["TaskModel"]),
        .testTarget(name: "PluginBinaryTests", dependencies: ["PluginBinary", "TaskModel"]),

        // MARK: Scheduling

        .target(
            name: "Scheduling",
            dependencies: [
                "TaskModel", .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ]
        ),
        .testTarget(name: "SchedulingTests", dependencies: ["Scheduling", "TaskModel"]),

        // MARK: TaskLedger

        .target(name: "TaskLedger", dependencies: ["TaskModel", .product(name: "GRDB", package: "GRDB.swift")]),
        .testTarget(
            name: "TaskLedgerTests",
            dependencies: ["TaskLedger", "TaskModel", .product(name: "GRDB", package: "GRDB.swift")]
        ),

        // MARK: RunnerWire

        .target(name: "RunnerWire", dependencies: ["TaskModel"]),
        .testTarget(name: "RunnerWireTests", dependencies: ["RunnerWire", "TaskModel"]),

        // MARK: HostConditions, what the machine offers

        .target(name: "HostConditions", dependencies: ["CLinux", "TaskModel"]),
        .testTarget(name: "HostConditionsTests", dependencies: ["CLinux", "HostConditions", "TaskModel"]),

        // MARK: PluginCatalog

        .target(
            name: "PluginCatalog",
            dependencies: [
                "PluginBinary", "TaskModel", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Yams", package: "Yams"),
            ]
        ),
        .testTarget(name: "PluginCatalogTests", dependencies: ["PluginCatalog", "PluginChecker", "TaskModel"]),

        // MARK: Replay, the scheduler under a virtual clock

        .target(
            name: "Replay",
            dependencies: [
                "PluginCatalog", "Scheduling", "TaskModel",
                .product(name: "HeapModule", package: "swift-collections"),
            ]
        ),
        .testTarget(name: "ReplayTests", dependencies: ["PluginCatalog", "Replay", "Scheduling", "TaskModel"]),

        // MARK: PluginChecker, what a host would say of a plugin

        .target(name: "PluginChecker", dependencies: ["PluginBinary", "PluginCatalog", "TaskModel"]),
        .testTarget(name: "PluginCheckerTests", dependencies: ["HostTestKit", "PluginCatalog", "PluginChecker"]),

        // MARK: PluginLaunch, the host's side of a launch

        .target(
            name: "PluginLaunch",
            dependencies: ["CLinux", "RunnerWire", "TaskModel", .product(name: "Logging", package: "swift-log")]
        ),
        .testTarget(
            name: "PluginLaunchTests",
            dependencies: [
                "CLinux", "PluginBinary", "PluginLaunch", "RunnerWire", "TaskModel",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // MARK: PluginRuntime, the runner's side of a launch

        .target(
            name: "PluginRuntime",
            dependencies: ["CBackgroundTasks", "CFFI", "PluginBinary", "RunnerWire", "TaskModel"]
        ),
        .testTarget(
            name: "PluginRuntimeTests",
            dependencies: ["CBackgroundTasks", "PluginRuntime", "RunnerWire", "TaskModel"]
        ),

        // MARK: ControlAPI

        .target(
            name: "ControlAPI",
            dependencies: [
                "TaskModel", .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            resources: [.embedInCode("openapi.yaml")]
        ),
        .testTarget(
            name: "ControlAPITests",
            dependencies: [
                "ControlAPI", "HostTestKit", "TaskModel", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),

        // MARK: HostConfiguration, which the host goes by and its check as well

        .target(
            name: "HostConfiguration",
            dependencies: [
                "ControlAPI", "HostConditions", "PluginCatalog", "Scheduling", "TaskModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        .testTarget(name: "HostConfigurationTests", dependencies: ["HostConfiguration", "HostTestKit"]),

        // MARK: HostService, the shell around the core

        .target(
            name: "HostService",
            dependencies: [
                "CLinux", "ControlAPI", "HostConditions", "HostConfiguration", "PluginBinary", "PluginCatalog",
                "PluginLaunch",
                "RunnerWire", "Scheduling", "TaskLedger", "TaskModel",
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
                "CLinux", "ControlAPI", "HostConditions", "HostConfiguration", "HostService", "HostTestKit",
                "PluginCatalog", "PluginLaunch", "RunnerWire", "Scheduling", "TaskLedger", "TaskModel",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // MARK: Commands, the operator's and the vendor's

        .target(
            name: "Commands",
            dependencies: [
                "CLinux", "ControlAPI", "HostConfiguration", "PluginBinary", "PluginCatalog", "PluginChecker",
                "PluginLaunch", "Replay", "RunnerWire", "Scheduling", "TaskLedger", "TaskModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "CommandsTests",
            dependencies: [
                "Commands", "ControlAPI", "HostConfiguration", "HostTestKit", "PluginCatalog", "TaskModel",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),

        // MARK: The host as a whole, with real processes and real plugins

        .target(
            name: "HostTestKit",
            dependencies: ["CLinux", "ControlAPI", "TaskModel", .product(name: "Yams", package: "Yams")],
            path: "Tests/HostTestKit"
        ),
        .testTarget(name: "EndToEndTests", dependencies: ["ControlAPI", "HostTestKit", "TaskModel"]),

        // MARK: Programs

        .executableTarget(
            name: "bgtaskd",
            dependencies: [
                "HostConfiguration", "HostService", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .executableTarget(
            name: "bgtask",
            dependencies: ["Commands"]
        ),
        // A plugin may bring a Swift runtime of its own; the runner's must not be there to meet it, nor any symbol of ours.
        .executableTarget(
            name: "bgtask-runner",
            dependencies: ["PluginRuntime"],
            exclude: ["Link"],
            linkerSettings: [
                .unsafeFlags([
                    "-static-stdlib", "-Xlinker", "--no-export-dynamic", "-Xclang-linker", "-static-libgcc",
                    "-L", "\(Context.packageDirectory)/Sources/bgtask-runner/Link",
                ])
            ]
        ),
    ]
)

let upcomingFeatures = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]

for target in package.targets where target.type != .system {
    // Code as its authors write it has the language as it comes.
    let isPlugin = target.name == "ColorFeed" || target.name.hasPrefix("SwiftPlugin")
    let features = isPlugin ? [] : upcomingFeatures
    target.swiftSettings = (target.swiftSettings ?? []) + features.map { .enableUpcomingFeature($0) }
    target.swiftSettings?.append(.treatAllWarnings(as: .error))
}
