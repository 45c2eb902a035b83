// swift-tools-version: 6.3
// The targets that vendors build plugins with, in the order of dependencies. No target has a dependency outside of this
// package, and all names of targets contain BackgroundTasks. The sources need the compiler of Swift 6.3: `@c`,
// `@section` and `@nonexhaustive`.

import PackageDescription

let package = Package(
    name: "bgtask-sdk",
    products: [
        .library(name: "CBackgroundTasks", targets: ["CBackgroundTasks"]),
        .library(name: "BackgroundTasks", targets: ["BackgroundTasks"]),
        .library(name: "BackgroundTasksMain", targets: ["BackgroundTasksMain"]),
        .library(name: "BackgroundTasksApp", targets: ["BackgroundTasksApp"]),
        .library(name: "BackgroundTasksTesting", targets: ["BackgroundTasksTesting"]),
    ],
    targets: [
        // MARK: CBackgroundTasks, the C ABI between host and plugins: one header, nothing to link

        .target(name: "CBackgroundTasks"),

        // MARK: BackgroundTasks, the ABI for plugins in Swift, with the API of Apple's platforms

        .target(name: "BackgroundTasks", dependencies: ["CBackgroundTasks"]),

        // MARK: BackgroundTasksMain, the entry of a plugin whose main type has the attribute @main

        .target(name: "BackgroundTasksMain", dependencies: ["BackgroundTasks"]),

        // MARK: BackgroundTasksApp, the application object of Apple's platforms, for code that a plugin shares with an app

        .target(name: "BackgroundTasksApp", dependencies: ["BackgroundTasks"]),

        // MARK: BackgroundTasksTesting, a host in the process of a vendor's unit tests

        .target(
            name: "CBackgroundTasksTesting",
            dependencies: ["CBackgroundTasks"],
            path: "Testing",
            exclude: ["Makefile"],
            sources: ["Sources"],
            publicHeadersPath: "include",
            cSettings: [.define("_GNU_SOURCE")]
        ),
        .target(
            name: "BackgroundTasksTesting",
            dependencies: ["BackgroundTasks", "CBackgroundTasks", "CBackgroundTasksTesting"]
        ),
    ]
)

// A warning is no error here: it would break the build of a vendor with a later compiler. `make docs` builds this
// package with warnings as errors.
let upcomingFeatures = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]

for target in package.targets {
    target.swiftSettings = upcomingFeatures.map { .enableUpcomingFeature($0) }
}
