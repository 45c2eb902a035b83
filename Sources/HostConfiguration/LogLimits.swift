// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The limits of the log files, which contain the output of launches.
package struct LogLimits: Hashable, Sendable {
    /// Maximum size of the log of one launch in bytes. Beyond it, the older half of its lines is deleted.
    package var launch: Int64 = 1 << 20
    /// Maximum size of the logs of one plugin in bytes. Beyond it, the logs of its oldest launches are deleted.
    package var plugin: Int64 = 16 << 20
    /// Maximum size of all logs in bytes. Beyond it, the logs of the oldest launches are deleted. With 0 the host keeps
    /// no logs.
    package var total: Int64 = 512 << 20
    /// Time for which a log is kept after its last line.
    package var retention: Duration = .seconds(14 * 24 * 60 * 60)

    package init() {}

    package var isOff: Bool { total == 0 }
    /// Maximum size of the log of one launch under all three limits.
    package var launchInForce: Int64 { min(launch, plugin, total) }

    static let launchRange: ClosedRange<Int64> = 128 << 10...1 << 30
    static let pluginRange: ClosedRange<Int64> = 128 << 10...1 << 40
    static let totalRange: ClosedRange<Int64> = 0...1 << 50
}
