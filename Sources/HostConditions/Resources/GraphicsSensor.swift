// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import TaskModel

/// Detects a graphics processor by its device files. The kernel reports when such files are created and removed.
final class GraphicsSensor: Sensor {
    private let dev: String
    private var notices: Descriptor?
    private var device: String?

    init(_ roots: SystemRoots, at now: MonotonicTime) {
        dev = roots.dev
        let number = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        notices = number >= 0 ? Descriptor(owning: number) : nil
        sample(at: now)
    }

    var awaited: Awaited? { notices.map { Awaited(descriptor: $0) } }

    func listen(at now: MonotonicTime) {
        guard let notices else { return }
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while bgl_read(notices.number, buffer.baseAddress, buffer.count) > 0 {}
        }
        sample(at: now)
    }

    func sample(at now: MonotonicTime) {
        watchDirectories()
        device = findDevice()
    }

    func write(to readings: inout Readings) {
        guard SystemFile.exists(dev) else {
            readings.conditions[.gpu] = .missing("the directory \(dev) does not exist or cannot be reached")
            return
        }
        readings.conditions[.gpu] = .measured(
            device != nil,
            from: device ?? dev,
            detail: (device == nil ? "no graphics device" : "a graphics device")
                + (notices == nil
                    ? "; later changes are not detected, because no inotify instance can be created: raise"
                        + " fs.inotify.max_user_instances, and restart the host"
                    : "")
        )
    }

    /// Adds watches for the directories of device files. A watched directory keeps its watch; a recreated directory
    /// gets a new one.
    private func watchDirectories() {
        guard let notices else { return }
        for directory in [dev, "\(dev)/dri"] {
            _ = inotify_add_watch(notices.number, directory, UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVE))
        }
    }

    private func findDevice() -> String? {
        let nodes = (try? SystemFile.names(in: "\(dev)/dri")) ?? []
        if let node = nodes.first(where: { $0.hasPrefix("renderD") }) { return "\(dev)/dri/\(node)" }
        return ["\(dev)/nvidia0", "\(dev)/kfd"].first(where: SystemFile.exists)
    }
}
