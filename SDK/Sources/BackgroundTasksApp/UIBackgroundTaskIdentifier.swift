// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Identifier of background time that an app began; see ``UIApplication/beginBackgroundTask(expirationHandler:)``.
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    /// The number that the host assigned.
    public let rawValue: Int

    /// Creates an identifier from the host's number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// An identifier without background time. Ending it has no effect.
    public static let invalid = Self(rawValue: 0)
}
