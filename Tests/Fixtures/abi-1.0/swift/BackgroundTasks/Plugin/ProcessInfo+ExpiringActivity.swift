// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import Foundation
import Synchronization

/// A class with one object, which the initializer of the extension returns.
// Foundation's `ProcessInfo.init()` is internal on Linux. An initializer in an extension of a class has to call another
// initializer of the class. An initializer in a protocol extension assigns `self` instead.
private protocol SingleObject {
    static var processInfo: Self { get }
}

extension SingleObject {
    fileprivate init(existing: Void) { self = Self.processInfo }
}

// Disfavored: calls stay unambiguous when a later Foundation makes its own initializer public.
extension ProcessInfo: SingleObject {
    /// Returns `ProcessInfo.processInfo`, the only object of its class on Linux. Code of apps also writes
    /// `ProcessInfo()`.
    @_disfavoredOverload
    public convenience init() { self.init(existing: ()) }

    /// Performs an activity that the end of the launch's budget may expire, as on Apple's platforms, where extensions
    /// use it. A background assertion keeps the launch open until the block returns.
    ///
    /// - Parameters:
    ///   - reason: name of the activity for the journal and for users.
    ///   - block: called with false on an arbitrary queue, where it performs the activity. When the assertion expires
    ///     before the block has returned, it is called a second time at the same time, with true: stop the activity.
    ///     When the host grants no assertion, or the assertion expires before the block has begun, the block is called
    ///     once, with true. Outside of a host it is called with false only.
    @preconcurrency
    public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {
        let activity = ExpiringActivity(block)
        let assertion = BackgroundPlugin.beginBackgroundTask(withName: reason) { activity.expire() }
        let isRefused = assertion == .invalid && Host.current != nil
        DispatchQueue.global().async {
            if isRefused { activity.expire() } else { activity.begin() }
            BackgroundPlugin.endBackgroundTask(assertion)
        }
    }
}

/// The calls of an activity's block: with false only before the expiration, and with true at most once.
final class ExpiringActivity: Sendable {
    private let block: @Sendable (Bool) -> Void
    private let hasExpired = Mutex(false)

    init(_ block: @escaping @Sendable (Bool) -> Void) { self.block = block }

    /// Performs the activity, unless it has expired before.
    func begin() {
        if !hasExpired.withLock({ $0 }) { block(false) }
    }

    /// Reports the expiration, once.
    func expire() {
        let isFirst = hasExpired.withLock { hasExpired in
            defer { hasExpired = true }
            return !hasExpired
        }
        if isFirst { block(true) }
    }
}
