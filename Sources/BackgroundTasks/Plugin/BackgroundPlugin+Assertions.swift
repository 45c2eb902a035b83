// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
public import Foundation

/// Names work that the launch waits for; see ``BackgroundPlugin/beginBackgroundTask(withName:expirationHandler:)``.
public struct BackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    /// The host's number.
    public let rawValue: UInt64

    /// An identifier by the host's number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// No work: the launch does not wait.
    public static let invalid = Self(rawValue: 0)
}

// "Do not end me yet", as apps say it when they leave the foreground.
extension BackgroundPlugin {
    /// Keeps the launch open after its last completion, until ``endBackgroundTask(_:)``; never beyond its deadline. Starts
    /// nothing.
    ///
    /// - Parameters:
    ///   - name: for the journal and for people.
    ///   - expirationHandler: called when it must end, on a thread of its own. End it there at the latest.
    /// - Returns: ``BackgroundTaskIdentifier/invalid`` when the launch is over already or was told to end, when too many
    ///   are open, and outside of a host.
    public static func beginBackgroundTask(
        withName name: String? = nil,
        expirationHandler: (@Sendable () -> Void)? = nil
    ) -> BackgroundTaskIdentifier {
        begin(name, AssertionHandler { _ in expirationHandler?() })
    }

    /// Like ``beginBackgroundTask(withName:expirationHandler:)``, with a handler that is told what it is to end. Apps keep
    /// the identifier in a variable for that, which another thread may not read.
    public static func beginBackgroundTask(
        withName name: String? = nil,
        onExpiration handler: @escaping @Sendable (BackgroundTaskIdentifier) -> Void
    ) -> BackgroundTaskIdentifier {
        begin(name, AssertionHandler(handler))
    }

    private static func begin(_ name: String?, _ handler: AssertionHandler) -> BackgroundTaskIdentifier {
        guard let host = Host.current else { return .invalid }
        var assertion: bgt_assertion = 0
        let status = bgt_begin_assertion(
            host.table,
            HostText.title(name ?? "background task"),
            { context, _, assertion, _ in
                guard let context else { return }
                Unmanaged<AssertionHandler>.fromOpaque(context)
                    .takeUnretainedValue().call(BackgroundTaskIdentifier(rawValue: assertion))
            },
            Unmanaged.passRetained(handler).toOpaque(),
            { context in
                if let context { Unmanaged<AssertionHandler>.fromOpaque(context).release() }
            },
            &assertion
        )
        return status == BGT_OK ? BackgroundTaskIdentifier(rawValue: assertion) : .invalid
    }

    /// Ends what ``beginBackgroundTask(withName:expirationHandler:)`` began; the launch may end on this call's return.
    public static func endBackgroundTask(_ identifier: BackgroundTaskIdentifier) {
        guard let host = Host.current, identifier != .invalid else { return }
        _ = bgt_end_assertion(host.table, identifier.rawValue)
    }

    /// What is left of the launch's budget, which all its tasks share; infinity without a fixed budget, and outside of a
    /// host.
    public static var backgroundTimeRemaining: TimeInterval {
        guard let remaining = Host.current?.remaining else { return .infinity }
        return Double(remaining) / 1e9
    }
}

private final class AssertionHandler: Sendable {
    private let handler: @Sendable (BackgroundTaskIdentifier) -> Void

    init(_ handler: @escaping @Sendable (BackgroundTaskIdentifier) -> Void) { self.handler = handler }

    /// On a thread that no other handler can block.
    func call(_ identifier: BackgroundTaskIdentifier) {
        Host.$isOnExpirationThread.withValue(true) { handler(identifier) }
    }
}
