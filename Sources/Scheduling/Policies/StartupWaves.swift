// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The latest start-up wave of each cause: the time at which much work became possible at once.
package struct StartupWaves: Hashable, Sendable {
    /// Time of boot: zero on the monotonic clock.
    private static let boot = MonotonicTime(nanoseconds: 0)

    package var resume: MonotonicTime?
    package var network: MonotonicTime?

    package init() {}

    var recent: [(cause: StaggerCause, at: MonotonicTime)] {
        [(.boot, Self.boot)] + (resume.map { [(.resume, $0)] } ?? []) + (network.map { [(.network, $0)] } ?? [])
    }

    /// The stagger of a plugin: a fixed offset from the start of the window, computed from the identifier. All work of
    /// the plugin has the same offset, and therefore stays in one batch.
    static func offset(of plugin: PluginIdentifier, in window: Duration) -> Duration {
        let steps: UInt64 = 1_000
        return window * Int(plugin.text.stableHash % steps) / Int(steps)
    }
}

extension String {
    /// An FNV-1a hash of the string. It is the same in every process, unlike `hashValue`.
    var stableHash: UInt64 {
        utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
