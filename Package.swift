// swift-tools-version: 6.2
// One section per target, ground floor first; the arrows are described in README.md, "The house".

import PackageDescription

let package = Package(
    name: "bgtask",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "bgtaskd", targets: ["bgtaskd"]),
        .executable(name: "bgtask", targets: ["bgtask"]),
        .executable(name: "bgtask-runner", targets: ["bgtask-runner"]),
        .library(name: "CBackgroundTasks", targets: ["CBackgroundTasks"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // MARK: The contract, and the system calls that Glibc's module leaves out

        .target(name: "CBackgroundTasks"),

        // MARK: Values

        .target(name: "TaskModel"),
        .testTarget(name: "TaskModelTests", dependencies: ["TaskModel"]),
    ]
)

let upcomingFeatures = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]

for target in package.targets {
    target.swiftSettings = (target.swiftSettings ?? []) + upcomingFeatures.map { .enableUpcomingFeature($0) }
    target.swiftSettings?.append(.treatAllWarnings(as: .error))
}
