// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
@_exported public import Foundation

/// The part of an app's `UIApplication` that scheduler code uses, for plugins whose code also runs in an app.
///
/// A plugin has no user interface and no foreground: the object is always in the background, and background time is the
/// time of the launch. Import the module on Linux only:
///
///     #if os(Linux)
///     import BackgroundTasksApp
///     #endif
///
/// As with Apple's declaration, a call from code without isolation is no error in the language mode of Swift 5.
@preconcurrency
@MainActor
public final class UIApplication: Sendable {
    /// Whether an app is in use.
    public enum State: Int, Sendable {
        /// In the foreground, and in use.
        case active = 0
        /// In the foreground, and not in use.
        case inactive = 1
        /// Not in the foreground: the state of every plugin.
        case background = 2
    }

    /// The object of this process.
    public static let shared = UIApplication()

    /// The interval of legacy fetch that the host chooses, 0.
    public nonisolated static let backgroundFetchIntervalMinimum: TimeInterval = 0

    /// The interval that ends legacy fetch, infinity.
    public nonisolated static let backgroundFetchIntervalNever: TimeInterval = .infinity

    /// The receiver of pushes, of the results of registrations, and of finished sessions of transfers. Set it while the
    /// plugin enters: background pushes and events of sessions then go to the delegate, and no longer to the receiver of
    /// the module `BackgroundTasks`. Unlike on Apple's platforms the application keeps the object.
    public var delegate: (any UIApplicationDelegate)? {
        didSet {
            if delegate == nil {
                BackgroundPlugin.receivePushes(nil)
                return BackgroundPlugin.receiveFinishedSessions(nil)
            }
            BackgroundPlugin.receivePushes { push in UIApplication.deliver(push) }
            BackgroundPlugin.receiveFinishedSessions { event, name in UIApplication.deliver(event, ofSession: name) }
        }
    }

    /// Whether this launch has registered for pushes.
    var isRegistered = false
    /// The newest call about the registration; it waits for the earlier calls. Nil before the first call.
    var registration: Task<Void, Never>?

    private init() {}

    /// Always ``State/background``.
    public var applicationState: State { .background }

    /// ``UIBackgroundRefreshStatus/available`` in a host; ``UIBackgroundRefreshStatus/restricted`` outside of one. A
    /// host in which this plugin may not run in the background refuses its requests with
    /// ``/BackgroundTasks/BGTaskScheduler/Error/unavailable``.
    public var backgroundRefreshStatus: UIBackgroundRefreshStatus {
        BackgroundPlugin.launch == nil ? .restricted : .available
    }

    /// Sets the minimum time in seconds between two events of legacy fetch; see
    /// ``/BackgroundTasks/BackgroundPlugin/setMinimumBackgroundFetchInterval(_:)``. A refused interval is not reported.
    public func setMinimumBackgroundFetchInterval(_ minimumBackgroundFetchInterval: TimeInterval) {
        BackgroundPlugin.setFetchInterval(minimumBackgroundFetchInterval)
    }
}
