// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
public import Foundation

/// Identifier of a background assertion; see ``BackgroundPlugin/beginBackgroundTask(withName:expirationHandler:)``.
public struct BackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    /// The number that the host assigned.
    public let rawValue: UInt64

    /// Creates an identifier from the host's number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// An identifier that no assertion has. Ending it has no effect.
    public static let invalid = Self(rawValue: 0)
}

// Background assertions, which apps use when they leave the foreground.
extension BackgroundPlugin {
    /// Begins a background assertion, which keeps the launch open after its last completion until
    /// ``endBackgroundTask(_:)``, but never beyond the launch's deadline. If no deadline applies, the limit is the time
    /// for which a continued task may go without progress. The assertion itself starts no work.
    ///
    /// - Parameters:
    ///   - name: name for the journal and for users.
    ///   - expirationHandler: called when the assertion expires, on a thread of its own. End the assertion there at the
    ///     latest.
    /// - Returns: the assertion; ``BackgroundTaskIdentifier/invalid`` when the launch is over or expiring, when too
    ///   many assertions are open, and outside of a host.
    public static func beginBackgroundTask(
        withName name: String? = nil,
        expirationHandler: (@Sendable () -> Void)? = nil
    ) -> BackgroundTaskIdentifier {
        begin(name, AssertionHandler { _ in expirationHandler?() })
    }

    /// Begins a background assertion like ``beginBackgroundTask(withName:expirationHandler:)``, with a handler that
    /// receives the assertion to end. A handler without this argument would have to read the identifier from a variable
    /// that another thread sets.
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

    /// Ends an assertion that ``beginBackgroundTask(withName:expirationHandler:)`` returned. The launch may end when
    /// this call returns.
    public static func endBackgroundTask(_ identifier: BackgroundTaskIdentifier) {
        guard let host = Host.current, identifier != .invalid else { return }
        _ = bgt_end_assertion(host.table, identifier.rawValue)
    }

    /// Time left of the launch's budget, in seconds, which all tasks of the launch share. Infinity without a fixed
    /// budget, and outside of a host.
    public static var backgroundTimeRemaining: TimeInterval {
        guard let remaining = Host.current?.remaining else { return .infinity }
        return Double(remaining) / 1e9
    }
}

private final class AssertionHandler: Sendable {
    private let handler: @Sendable (BackgroundTaskIdentifier) -> Void

    init(_ handler: @escaping @Sendable (BackgroundTaskIdentifier) -> Void) { self.handler = handler }

    /// Calls the expiration handler of an assertion. Runs on a thread that no other handler can block.
    func call(_ identifier: BackgroundTaskIdentifier) {
        handler(identifier)
    }
}
