// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import PluginLaunch
import Synchronization
import TaskModel

/// Measures the free space of the containers' disk, and the bytes and files that launches add to it. The cost depends
/// on the number of files only while the disk lacks its reserve and loses more.
final class DiskGauge: Sendable {
    private let directory: String
    private let disk: ContainerDisk
    /// The directory of the control groups of launches; nil when launches have none.
    private let groups: String?
    private let reserve: DiskReserve
    private let state = Mutex(State())

    private struct State {
        var meter = DiskMeter()
        var deferred = DeferredWrites()
        /// Time of the previous measurement; nil before the first one.
        var at: WallTime?
    }

    init(directory: String, groups: String?, reserve: DiskReserve) {
        self.directory = directory
        self.groups = groups
        self.reserve = reserve
        disk = ContainerDisk(of: directory)
    }

    /// Takes a sample.
    ///
    /// - Parameters:
    ///   - processes: the first process of each launch.
    ///   - plugins: the main plugin of each launch; its identifier is the name of the launch's container.
    func read(
        _ processes: [LaunchNumber: Int32],
        _ plugins: [LaunchNumber: PluginIdentifier]
    ) -> Result<DiskSample, SystemError> {
        state.withLock { state in
            Result { () throws(SystemError) in
                let now = SystemClock().now().wall
                let written = processes.mapValues { disk.written(by: $0, in: groups) }
                let space = try space(after: written, &state.deferred)
                var contents: [LaunchNumber: ContainerDisk.Contents] = [:]
                let shortage = reserve.shortage(of: space)
                if shortage == nil { state.meter.forgetContents() }
                if let since = state.at, let shortage, state.meter.hasLost(space, for: shortage) {
                    contents = measure(since, plugins)
                }
                state.at = now
                return state.meter.sample(
                    space,
                    written: written,
                    created: contents.mapValues(\.created),
                    occupied: contents.mapValues(\.bytes)
                )
            }
        }
    }

    /// The space of the disk. Where free space falls later than a launch writes, the changes are written back before a
    /// launch can use up the reserve unnoticed.
    private func space(
        after written: [LaunchNumber: Int64?],
        _ deferred: inout DeferredWrites
    ) throws(SystemError) -> DiskSpace {
        let space = try disk.space()
        guard disk.defersFreeSpace else { return space }
        deferred.add(written)
        guard deferred.mayHideShortage(of: space, under: reserve) else { return space }
        disk.writeBack()
        deferred.settle()
        return try disk.space()
    }

    /// Drops the previous measurement, so that the next sample counts as the first one. Without this, a sample after a
    /// pause would have the changes of the whole pause.
    func pause() { state.withLock { $0 = State() } }

    /// The contents of the containers of launches. Launches of a main plugin and of its extensions share a container:
    /// while two of them run, the files of neither are known.
    private func measure(
        _ since: WallTime,
        _ plugins: [LaunchNumber: PluginIdentifier]
    ) -> [LaunchNumber: ContainerDisk.Contents] {
        let users = Dictionary(grouping: plugins) { $0.value }
        var contents: [LaunchNumber: ContainerDisk.Contents] = [:]
        for (plugin, launches) in users where launches.count == 1 {
            guard let launch = launches.first?.key else { continue }
            contents[launch] = ContainerDisk.contents(of: "\(directory)/\(plugin)", since: since)
        }
        return contents
    }
}
