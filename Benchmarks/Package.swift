// swift-tools-version: 6.2
// Measures the built programs from outside, as whole processes: `make bench` builds them first. Tests never measure.

import PackageDescription

let package = Package(
    name: "Benchmarks",
    targets: [
        .executableTarget(name: "SubmitToHandler", swiftSettings: [.treatAllWarnings(as: .error)])
    ]
)
