// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Sources of plugins in Swift.
extension PluginTemplates {
    enum Swift {
        /// The source of a main plugin.
        static let main = #"""
            import BackgroundTasks
            import Foundation

            /// Runs at every launch: registers the handlers, and submits nothing.
            @c(bgtask_plugin_entry)
            public func enter(_ host: PluginHost, _ hooks: PluginHooks) -> Int32 {
                BackgroundPlugin.enter(host, hooks) { @TYPE@.launch() }
            }

            enum @TYPE@ {
                static let identifier = "@TASK@"

                static func launch() {
                    BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil, launchHandler: handle)
                    // The event `started` arrives after installation, after an update, and when the host starts while nothing is
                    // pending.
                    BackgroundPlugin.receiveEvents { event in
                        if event.kind == .started { submitNext(after: 0) }
                        event.setTaskCompleted(success: true)
                    }
                }

                /// The task. Submits its successor first: when the work fails, the next request is already pending.
                static func handle(_ task: BGTask) {
                    submitNext(after: 60 * 60)
                    let work = Task {
                        do {
                            try await Self.work()
                            task.setTaskCompleted(success: true)
                        } catch {
                            task.setTaskCompleted(success: false)
                        }
                    }
                    task.expirationHandler = { work.cancel() }
                }

                /// The work in steps, each much shorter than the grace period of 5 s.
                static func work() async throws {
                    for _ in 0..<10 { try Task.checkCancellation() }
                }

                /// Submits the next request. It replaces the pending one, and the host runs it when its conditions hold.
                static func submitNext(after seconds: TimeInterval) {
                    let request = @REQUEST@
                    request.earliestBeginDate = Date(timeIntervalSinceNow: seconds)
                    do {
                        try BGTaskScheduler.shared.submit(request)
                    } catch {
                        BackgroundPlugin.log("not submitted: \(error)", level: .warning)
                    }
                }
            }
            """#

        /// The source of an extension.
        static let `extension` = #"""
            import BackgroundTasks

            /// Runs at every launch. An extension registers no handlers.
            @c(bgtask_plugin_entry)
            public func enter(_ host: PluginHost, _ hooks: PluginHooks) -> Int32 {
                BackgroundPlugin.enter(host, hooks) { Trigger.launch() }
            }

            enum Trigger {
                /// A task of the main plugin, which permits and runs it.
                static let identifier = "@TASK@"

                static func launch() {
                    BackgroundPlugin.receiveEvents { event in event.setTaskCompleted(success: receive(event)) }
                }

                /// The event `trigger` has a payload: `event.payload`.
                static func receive(_ event: BackgroundEvent) -> Bool {
                    guard event.kind == .trigger else { return true }
                    do {
                        try BGTaskScheduler.shared.submit(@REQUEST@)
                        return true
                    } catch {
                        BackgroundPlugin.log("not submitted: \(error)", level: .warning)
                        return false
                    }
                }
            }
            """#

        /// The paragraph of the README about the package of Swift modules.
        static let packageDirectory = #"""
            `make` finds the Swift package bgtask-sdk with pkg-config. `swift build` and editors read its directory from the
            variable `BGTASK_SDK`, such as `$HOME/.local/share/bgtask/bgtask-sdk`; the default is
            `/usr/share/bgtask/bgtask-sdk`.
            """#

        /// `Package.swift`.
        static let package = #"""
            // swift-tools-version: 6.3

            import PackageDescription

            // The directory of the package bgtask-sdk. A version of its repository can take its place:
            // .package(url: ADDRESS, from: "VERSION")
            let named = Context.environment["BGTASK_SDK"] ?? ""
            let sdk = named.isEmpty ? "/usr/share/bgtask/bgtask-sdk" : named

            let package = Package(
                name: "@MODULE@",
                products: [.library(name: "@MODULE@", type: .dynamic, targets: ["@MODULE@"])],
                dependencies: [.package(name: "bgtask-sdk", path: sdk)],
                targets: [
                    .target(name: "@MODULE@", dependencies: [.product(name: "BackgroundTasks", package: "bgtask-sdk")])
                ]
            )
            """#
    }
}
