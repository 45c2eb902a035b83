// swift-tools-version: 6.2
// The scheduler and its tests alone, linked into this directory, so that a release build takes only minutes.

import PackageDescription

let package = Package(
    name: "soak",
    dependencies: [.package(url: "https://github.com/apple/swift-collections", from: "1.6.0")],
    targets: [
        .target(name: "TaskModel"),
        .target(
            name: "Scheduling",
            dependencies: [
                "TaskModel", .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ]
        ),
        .systemLibrary(name: "CMalloc"),
        .executableTarget(name: "CoreCost", dependencies: ["CMalloc", "Scheduling", "TaskModel"]),
        .target(name: "Fleet", dependencies: ["TaskModel"]),
        .target(
            name: "FleetSimulation",
            dependencies: [
                "Fleet", "Scheduling", "TaskModel", .product(name: "HeapModule", package: "swift-collections"),
            ]
        ),
        .executableTarget(name: "FleetRun", dependencies: ["FleetSimulation"]),
        .target(name: "StatementTraits"),
        .testTarget(name: "SchedulingTests", dependencies: ["Scheduling", "StatementTraits", "TaskModel"]),
    ]
)

let upcomingFeatures = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]

for target in package.targets where target.type != .system {
    target.swiftSettings = upcomingFeatures.map { .enableUpcomingFeature($0) } + [.treatAllWarnings(as: .error)]
}
