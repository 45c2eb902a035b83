// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import TaskModel

/// Detects external power from the machine's power supplies. The kernel reports their changes.
final class PowerSensor: Sensor {
    private let classes: String
    private let folder: String
    private let events: Result<NetlinkSocket, SystemError>
    private var reading = ConditionReading.unwatched

    init(_ roots: SystemRoots, at now: MonotonicTime) {
        classes = "\(roots.sys)/class"
        folder = "\(classes)/power_supply"
        // The group of the kernel's own events: no daemon has to forward them.
        events = Result { () throws(SystemError) in try NetlinkSocket(protocol: NETLINK_KOBJECT_UEVENT, groups: 1) }
        look(at: now)
    }

    var awaited: Awaited? { (try? events.get()).map { Awaited(descriptor: $0.descriptor) } }

    func listen(at now: MonotonicTime) {
        guard let news = try? events.get().drain() else { return }
        if Self.concerns(news) { look(at: now) }
    }

    func look(at now: MonotonicTime) { reading = read() }

    func write(to readings: inout Readings) { readings.conditions[.externalPower] = reading }

    /// Whether `news` can concern a power supply: the events of all devices arrive here.
    private static func concerns(_ news: NetlinkSocket.News) -> Bool {
        switch news {
        case .lost: true
        case .messages(let messages): messages.contains { DeviceEvent(parsing: $0)?.subsystem == "power_supply" }
        }
    }

    private func read() -> ConditionReading {
        do throws(SystemError) {
            let power = try readSupplies()
            let notice = if case .failure(let error) = events { "; changes are not reported: \(error)" } else { "" }
            return .measured(power.isOnExternalPower, from: folder, detail: power.words + notice)
        } catch {
            return .missing(error.description)
        }
    }

    private func readSupplies() throws(SystemError) -> PowerReading {
        do throws(SystemError) {
            return try PowerReading(folder: folder)
        } catch {
            // If this directory alone is missing, the kernel supports no power supplies. If its parent is missing too,
            // they are not visible.
            guard error.number == ENOENT, SystemFile.exists(classes) else { throw error }
            return PowerReading(supplies: [])
        }
    }
}
