// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import ControlAPI
import Glibc
import PluginLaunch
import TaskModel

/// Measures the disk use of a host, with a bound. Runs on a thread for disk access.
enum DiskUsage {
    /// Maximum number of containers that are measured, and of entries in each of them.
    private static let mostContainers = 100
    private static let mostEntries: Int32 = 10_000

    /// - Parameter plugins: the main plugins whose containers are measured; empty for all.
    static func measured(_ state: StateDirectory, of plugins: [PluginIdentifier]) -> StatsReply.Disk {
        let names = plugins.isEmpty ? state.containers() : plugins.map(\.text).filter(state.hasContainer).sorted()
        return StatsReply.Disk(
            ledgerBytes: ledgerBytes(state.ledgerFile),
            freeBytes: try? ContainerDisk(of: state.containerDirectory).space().freeBytes,
            containers: names.prefix(mostContainers).map { name in
                StatsReply.Disk.Container(plugin: name, bytes: bytes(below: state.containerPath(of: name)))
            }
        )
    }

    /// The size of a ledger with its write-ahead log.
    static func ledgerBytes(_ file: String) -> Int64 {
        [file, file + "-wal"].reduce(0) { sum, path in
            var status = stat()
            return stat(path, &status) == 0 ? sum + Int64(status.st_size) : sum
        }
    }

    private static func bytes(below directory: String) -> Int64? {
        let bytes = bgl_tree_bytes(directory, mostEntries)
        return bytes < 0 ? nil : bytes
    }
}
