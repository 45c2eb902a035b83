// swift-tools-version: 6.2
// Measures the built programs from outside, as whole processes. The targets `bench...` of the Makefile build them.
// Tests never measure.

import PackageDescription

let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "Benchmarks",
    dependencies: [.package(url: "https://github.com/apple/swift-nio", from: "2.101.2")],
    targets: [
        .target(name: "Measuring", swiftSettings: settings),
        .executableTarget(name: "SubmitToHandler", dependencies: ["Measuring"], swiftSettings: settings),
        .executableTarget(name: "Throughput", dependencies: ["Measuring"], swiftSettings: settings),
        .systemLibrary(name: "CSQLite"),
        .executableTarget(
            name: "BareQueue",
            dependencies: [
                "CSQLite", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(name: "Results", dependencies: ["Measuring"], swiftSettings: settings),
        .executableTarget(name: "HostAtSize", dependencies: ["Measuring"], swiftSettings: settings),
    ]
)
