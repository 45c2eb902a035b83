// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

/// The main type of a plugin, in place of an entry function.
///
///     import BackgroundTasks
///     import BackgroundTasksMain
///
///     @main
///     struct ColorFeed: BackgroundPluginMain {
///         func launch() async throws {
///             BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.refresh", using: nil) { … }
///         }
///     }
///
/// The attribute `@main` marks one type of the library. The module contains the entry function, so a library that links
/// it defines none of its own.
@MainActor
public protocol BackgroundPluginMain {
    /// Creates the value that exists as long as the process. Called once, on the main thread.
    init()

    /// Performs the work of an app's launch: registers launch handlers, and may submit requests.
    ///
    /// The launch handlers must be registered when the function returns. Tasks are delivered afterwards. An error ends
    /// the launch: each task is charged an attempt, and is requeued unless its attempts are used up. The journal
    /// records the failure.
    func launch() async throws
}

extension BackgroundPluginMain {
    /// Enters the plugin. The attribute `@main` calls it; no other code does.
    public static func main() { MainEntry.run(Self.self) }
}
