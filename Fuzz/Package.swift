// swift-tools-version: 6.2
// The readers of outside data with the fuzzer of LLVM, linked into this directory; described in Documentation/Testing.md.

import PackageDescription

let package = Package(
    name: "fuzz",
    dependencies: [
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        .target(name: "CBackgroundTasks"),
        .target(name: "CLinux"),
        .systemLibrary(name: "CFFI"),
        .systemLibrary(name: "CSeccomp"),
        .target(name: "TaskModel"),
        .target(name: "LinuxSystem", dependencies: ["CLinux", "TaskModel"]),
        .target(
            name: "LocatedYAML",
            dependencies: ["LinuxSystem", "TaskModel", .product(name: "Yams", package: "Yams")]
        ),
        .target(name: "PluginBinary", dependencies: ["LinuxSystem", "TaskModel"]),
        .target(
            name: "Scheduling",
            dependencies: [
                "TaskModel", .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ]
        ),
        .target(name: "RunnerWire", dependencies: ["TaskModel"]),
        .target(name: "Sandbox", dependencies: ["CLinux", "LinuxSystem", "RunnerWire", "TaskModel"]),
        .target(name: "SandboxPolicy", dependencies: ["CLinux", "CSeccomp", "RunnerWire", "Sandbox", "TaskModel"]),
        .target(name: "Signatures", dependencies: [.product(name: "Crypto", package: "swift-crypto")]),
        .target(
            name: "PluginCatalogue",
            dependencies: [
                "LinuxSystem", "LocatedYAML", "PluginBinary", "Signatures", "TaskModel",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .target(
            name: "PluginLaunch",
            dependencies: [
                "CLinux", "LinuxSystem", "RunnerWire", "SandboxPolicy", "TaskModel",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "PluginRuntime",
            dependencies: [
                "CBackgroundTasks", "CFFI", "CLinux", "LinuxSystem", "PluginBinary", "RunnerWire", "Sandbox",
                "TaskModel",
            ]
        ),
        .target(name: "ControlAPI", dependencies: ["TaskModel"], resources: [.embedInCode("openapi.yaml")]),
        // Of the host only the translation of messages into events: the rest needs the network libraries.
        .target(
            name: "HostService",
            dependencies: ["PluginLaunch", "RunnerWire", "SandboxPolicy", "Scheduling", "TaskModel"]
        ),
        .target(
            name: "FuzzEntries",
            dependencies: [
                "CLinux", "ControlAPI", "HostService", "LinuxSystem", "LocatedYAML", "PluginBinary", "PluginCatalogue",
                "PluginLaunch", "PluginRuntime", "RunnerWire", "Scheduling", "TaskModel",
            ]
        ),
        .systemLibrary(name: "CFuzzer"),
        .target(name: "Fuzzing", dependencies: ["CFuzzer", "FuzzEntries"]),
    ]
)

for name in ["FuzzLibrary", "FuzzManifest", "FuzzWire", "FuzzControl"] {
    package.targets.append(.executableTarget(name: name, dependencies: ["FuzzEntries", "Fuzzing"]))
}

let upcomingFeatures = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]

for target in package.targets where target.type != .system {
    target.swiftSettings = upcomingFeatures.map { .enableUpcomingFeature($0) } + [.treatAllWarnings(as: .error)]
}
