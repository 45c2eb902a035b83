// swift-tools-version: 6.2
// Measures the built programs from outside, as whole processes. The targets `bench...` of the Makefile build them.
// Tests never measure.

import PackageDescription

let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "Benchmarks",
    targets: [
        .target(name: "Measuring", swiftSettings: settings),
        .executableTarget(name: "SubmitToHandler", dependencies: ["Measuring"], swiftSettings: settings),
        .executableTarget(name: "Throughput", dependencies: ["Measuring"], swiftSettings: settings),
        .executableTarget(name: "Results", dependencies: ["Measuring"], swiftSettings: settings),
        .executableTarget(name: "HostAtSize", dependencies: ["Measuring"], swiftSettings: settings),
    ]
)
