// swift-tools-version: 6.2
// Measures the built programs from outside, as whole processes. `make bench` and `make bench-size` build them first.
// Tests never measure.

import PackageDescription

let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "Benchmarks",
    targets: [
        .target(name: "Measuring", swiftSettings: settings),
        .executableTarget(name: "SubmitToHandler", dependencies: ["Measuring"], swiftSettings: settings),
        .executableTarget(name: "HostAtSize", dependencies: ["Measuring"], swiftSettings: settings),
    ]
)
