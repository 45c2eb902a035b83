// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
package import TaskModel

/// Detects whether the watched containers are mounted and unlocked. The kernel reports mounts; states that change
/// without a report, such as the presence of keys, are sampled while a container is watched.
final class ContainerSensor: Sensor {
    private let roots: SystemRoots
    private let interval: Duration
    private let mountInfo: Descriptor?
    private var isUnawaitable = false
    private var watched: WatchedContainers = .none
    private var readings: [PluginIdentifier: ConditionReading] = [:]
    private(set) var nextSample: MonotonicTime?

    init(_ roots: SystemRoots, _ thresholds: ConditionThresholds) {
        self.roots = roots
        interval = thresholds.lockInterval
        mountInfo = try? Descriptor(opening: "\(roots.proc)/self/mountinfo", flags: O_RDONLY)
    }

    var awaited: Awaited? {
        guard !watched.plugins.isEmpty, !isUnawaitable else { return nil }
        return mountInfo.map { Awaited(descriptor: $0, events: BGL_CHANGED) }
    }

    func cannotWait(_ error: SystemError) { isUnawaitable = true }

    func watch(_ containers: WatchedContainers, at now: MonotonicTime) {
        guard containers != watched else { return }
        watched = containers
        sample(at: now)
    }

    func sample(at now: MonotonicTime) {
        readings = [:]
        nextSample = nil
        guard !watched.plugins.isEmpty else { return }
        do throws(SystemError) {
            let mounts = try MountTable(roots, below: watched.directory)
            for plugin in watched.plugins {
                let path = "\(watched.directory)/\(plugin.text)"
                let reading = ContainerReading(path, in: watched.directory, mounts: mounts)
                if reading.changesSilently || isUnawaitable || mountInfo == nil { nextSample = now + interval }
                readings[plugin] = .measured(reading.isLocked, from: path, detail: reading.words)
            }
        } catch {
            for plugin in watched.plugins { readings[plugin] = .missing(error.description) }
            nextSample = now + interval
        }
    }

    func write(to all: inout Readings) { all.containers = readings }
}

/// The containers on which decisions depend: the containers of main plugins with a waiting or running health research
/// request.
package struct WatchedContainers: Hashable, Sendable {
    /// Absolute path of the directory of all containers. Each container is named like its plugin.
    package let directory: String
    package let plugins: Set<PluginIdentifier>

    package static let none = WatchedContainers(directory: "/", plugins: [])

    package init(directory: String, plugins: Set<PluginIdentifier>) {
        self.directory = MountTable.normalized(directory)
        self.plugins = plugins
    }
}
