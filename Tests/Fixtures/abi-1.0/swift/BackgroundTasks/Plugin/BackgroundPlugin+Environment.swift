// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
public import Foundation

// The environment that the host provides to a plugin.
extension BackgroundPlugin {
    /// Severity of a line in the log.
    public enum LogLevel: UInt32, Sendable {
        /// Details for debugging.
        case debug = 1
        /// Normal operation.
        case info = 2
        /// A problem that was handled.
        case warning = 3
        /// A failure.
        case error = 4
    }

    /// The directory that a main plugin and its extensions share, kept between launches. Other processes of the same
    /// plugin may use it at the same time: lock files, or use SQLite. Nil outside of a host.
    public static var containerURL: URL? {
        guard let host = Host.current else { return nil }
        let path = HostText.read { bgt_container_path(host.table, $0, $1, &$2) }
        return path.map { URL(filePath: $0, directoryHint: .isDirectory) }
    }

    /// Value of a setting of the plugin: the operator's value, otherwise the manifest's; nil when neither has the key,
    /// and outside of a host.
    public static func setting(_ key: String) -> String? {
        guard let host = Host.current else { return nil }
        return HostText.read { bgt_setting(host.table, key, $0, $1, &$2) }
    }

    /// Writes a line to the host's log, under this launch. Outside of a host it writes to standard error.
    public static func log(_ message: String, level: LogLevel = .info) {
        if let host = Host.current {
            host.log(level, message)
        } else {
            FileHandle.standardError.write(Data("\(message)\n".utf8))
        }
    }

    /// Sets the minimum time between two ``BackgroundEvent/Kind/fetch`` events (legacy fetch). The interval persists
    /// across launches until it is changed; the default is never. New code submits a ``BGAppRefreshTaskRequest``.
    ///
    /// - Parameter interval: seconds, rounded up; infinity for never.
    /// - Returns: whether the host accepted the interval: false outside of a host, for an extension, after the end of
    ///   the launch, and when the manifest permits task identifiers or lacks the background mode `fetch`.
    @available(*, deprecated, message: "register a launch handler and submit a BGAppRefreshTaskRequest")
    @discardableResult
    public static func setMinimumBackgroundFetchInterval(_ interval: TimeInterval) -> Bool {
        setFetchInterval(interval)
    }

    /// Sets the interval of legacy fetch, as `setMinimumBackgroundFetchInterval` does. Code of Apple's platforms calls
    /// it through `UIApplication`, without a warning.
    @discardableResult
    package static func setFetchInterval(_ interval: TimeInterval) -> Bool {
        guard let host = Host.current else { return false }
        let seconds = interval.isFinite ? UInt64(clamping: Int64(max(0, min(interval.rounded(.up), 1e15)))) : .max
        return bgt_set_minimum_fetch_interval(host.table, seconds) == BGT_OK
    }
}
