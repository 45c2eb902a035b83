// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Source of a line in the log of a launch.
package enum LogStream: String, CaseIterable, Hashable, Sendable {
    /// The ABI's `log`.
    case log
    case stdout
    case stderr
    /// The host's own remark about the log, such as the number of dropped lines.
    case host
}
