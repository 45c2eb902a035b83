// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Limits of the resources of one launch.
package struct PluginLimits: Hashable, Sendable {
    /// Maximum memory in bytes; nil for no limit.
    package var memory: Int64?
    /// Maximum number of processes and threads; nil for no limit.
    package var processes: Int?
    /// Maximum size in bytes of a file that the launch writes; nil for no limit.
    package var fileSize: Int64?

    package init(memory: Int64? = nil, processes: Int? = nil, fileSize: Int64? = nil) {
        self.memory = memory
        self.processes = processes
        self.fileSize = fileSize
    }

    package static let none = PluginLimits()

    /// Permitted values of `memory`, in bytes.
    package static let memoryRange: ClosedRange<Int64> = (1 << 20)...(1 << 50)
    /// Permitted values of `processes`. The minimum leaves room for the threads of the runner itself, up to eight.
    package static let processRange = 16...4_000_000
    /// Permitted values of `fileSize`, in bytes.
    package static let fileSizeRange: ClosedRange<Int64> = (1 << 20)...(1 << 50)

    /// The lower of both values for each limit.
    package func bounded(by other: PluginLimits) -> PluginLimits {
        PluginLimits(
            memory: [memory, other.memory].compactMap(\.self).min(),
            processes: [processes, other.processes].compactMap(\.self).min(),
            fileSize: [fileSize, other.fileSize].compactMap(\.self).min()
        )
    }
}
