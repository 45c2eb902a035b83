// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Differences between the host that the plugin sees and the present version, with which a trial shows how the plugin
/// treats other hosts. The launches of a host have none.
package struct ImitatedHost: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A later minor version of the ABI: the tables and structs that the host passes are longer (BGT-ABI-03).
    package static let laterMinor = ImitatedHost(rawValue: 1)
    /// Numbers that the header does not define: the statuses and sub-reasons of refused calls, and the reasons of
    /// expirations (BGT-ABI-06).
    package static let laterNumbers = ImitatedHost(rawValue: 2)
    /// A host without optional features: `query` returns NULL (BGT-ABI-19).
    package static let noFeatures = ImitatedHost(rawValue: 4)

    /// A host that reports calls without an effect, in a forked process and after `stop` (BGT-ABI-12), and calls that
    /// pass another pointer than that of the table (BGT-ABI-08). Memory that `stop` frees gets other contents, and
    /// other threads run on for a moment after `stop`.
    package static let strict = ImitatedHost(rawValue: 8)
    /// A host whose plugins can start no threads.
    package static let noThreads = ImitatedHost(rawValue: 16)

    /// A host on which the pointers of `task_info` are inaccessible once the task is completed.
    package static let guardedTasks = ImitatedHost(rawValue: 32)

    static let all: ImitatedHost = [.laterMinor, .laterNumbers, .noFeatures, .strict, .noThreads, .guardedTasks]
}
