// swift-tools-version: 6.2
// The runner alone, with sources that Tests/Minor1/grow has linked or edited for minor version 1 of the ABI.

import PackageDescription

// AddressSanitizer has to replace malloc for the C library too, and its symbols have to be visible to plugins.
let isSanitized = Context.environment["BGTASK_SANITIZED"] != nil
let linkerFlags = [
    "-static-stdlib", "-Xlinker", "--no-export-dynamic", "-Xclang-linker", "-static-libgcc",
    "-L", "\(Context.packageDirectory)/Sources/bgtask-runner/Link",
]

let package = Package(
    name: "minor1",
    targets: [
        .target(name: "CBackgroundTasks"),
        .target(name: "CLinux"),
        .systemLibrary(name: "CFFI"),
        .systemLibrary(name: "CTransferHost"),
        .target(name: "TaskModel"),
        .target(name: "LinuxSystem", dependencies: ["CLinux", "TaskModel"]),
        .target(name: "PluginBinary", dependencies: ["LinuxSystem", "TaskModel"]),
        .target(name: "RunnerWire", dependencies: ["TaskModel"]),
        .target(name: "Sandbox", dependencies: ["CLinux", "LinuxSystem", "RunnerWire", "TaskModel"]),
        .target(
            name: "PluginRuntime",
            dependencies: [
                "CBackgroundTasks", "CFFI", "CLinux", "CTransferHost", "LinuxSystem", "PluginBinary", "RunnerWire",
                "Sandbox", "TaskModel",
            ]
        ),
        .executableTarget(
            name: "bgtask-runner",
            dependencies: ["PluginRuntime"],
            exclude: ["Link"],
            linkerSettings: isSanitized ? [] : [.unsafeFlags(linkerFlags)]
        ),
    ]
)

let upcomingFeatures = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]

for target in package.targets where target.type != .system {
    target.swiftSettings = upcomingFeatures.map { .enableUpcomingFeature($0) }
}
