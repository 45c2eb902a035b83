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
        try folder((name as NSString).deletingLastPathComponent)
        try Data(text.utf8).write(to: URL(filePath: path + "/" + name))
    }

    func folder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: true)
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path + "/" + name) }

    /// Writes the files of one directory.
    func write(in folder: String, _ files: [String: String]) throws {
        for (name, text) in files { try write("\(folder)/\(name)", text) }
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

    /// Runs the sensor, with its events and its samples, until the condition is true. Returns false after 20 seconds.
    func listens(until isSo: () -> Bool) -> Bool {
        let bell = Descriptor(owning: bgl_bell_create())
        guard let waits = try? WaitSet(ringing: bell) else { return false }
        let deadline = MonotonicTime.now + .seconds(20)
        while !isSo() {
            if MonotonicTime.now > deadline { return false }
            guard let isUnheard = try? waits.set(awaited, at: 0) else { return false }
            if isUnheard { look(at: .now) }
            if isSo() { return true }
            let due = min(deadline, nextLook ?? deadline)
            let ready = waits.wait(timeout: due - .now)
            if !ready.isEmpty { listen(at: .now) }
            if let nextLook, nextLook <= .now { look(at: .now) }
        }
        return true
    }
}

extension ConditionReading {
    var isMissing: Bool { if case .missing = self { true } else { false } }
    var detail: String? { if case .measured(_, _, let detail) = self { detail } else { nil } }
}
