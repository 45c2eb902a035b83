// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Foundation
import LinuxSystem
import MessageBus
import TaskModel

@testable import HostConditions

/// A directory that replaces the kernel's file systems, for the duration of one test.
final class FileTree: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "bgtask-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var roots: SystemRoots {
        SystemRoots(
            sys: path + "/sys",
            proc: path + "/proc",
            dev: path + "/dev",
            fileSystemTable: path + "/etc/fstab",
            units: [path + "/etc/units", path + "/lib/units"],
            systemBus: BusAddress("unix:path=\(path)/bus")
        )
    }

    func write(_ name: String, _ text: String) throws {
        try directory((name as NSString).deletingLastPathComponent)
        try Data(text.utf8).write(to: URL(filePath: path + "/" + name))
    }

    func directory(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: true)
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path + "/" + name) }

    /// Writes the files of one directory.
    func write(in directory: String, _ files: [String: String]) throws {
        for (name, text) in files { try write("\(directory)/\(name)", text) }
    }
}

extension MonotonicTime {
    static func seconds(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }
}

extension Sensor {
    func reading(_ condition: Condition) -> ConditionReading? {
        var readings = Readings()
        write(to: &readings)
        return readings.conditions[condition]
    }

    /// Runs the sensor, with its events and its samples, until the condition is true. Returns false after 20 seconds,
    /// or when the sensor's descriptors cannot be watched.
    func listens(until isSo: () -> Bool) -> Bool {
        let wakeChannel = Descriptor(owning: bgl_eventfd_create())
        guard let waits = try? WaitSet(wokenBy: wakeChannel) else { return false }
        let deadline = MonotonicTime.now + .seconds(20)
        while !isSo() {
            if MonotonicTime.now > deadline { return false }
            guard let isUnheard = try? waits.set(awaited, at: 0) else { return false }
            if isUnheard { sample(at: .now) }
            if isSo() { return true }
            let due = min(deadline, nextSample ?? deadline)
            let ready = waits.wait(timeout: due - .now)
            if !ready.isEmpty { listen(at: .now) }
            if let nextSample, nextSample <= .now { sample(at: .now) }
        }
        return true
    }
}

extension ConditionReading {
    var isMissing: Bool { if case .missing = self { true } else { false } }
    var detail: String? { if case .measured(_, _, let detail) = self { detail } else { nil } }
}
