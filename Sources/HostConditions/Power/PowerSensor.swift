// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import TaskModel

/// Whether the machine is on external power, from its power supplies; the kernel tells when one changes.
final class PowerSensor: Sensor {
    private let classes: String
    private let folder: String
    private let events: Result<NetlinkSocket, SystemError>
    private var reading = ConditionReading.unwatched

    init(_ roots: SystemRoots, at now: MonotonicTime) {
        classes = "\(roots.sys)/class"
        folder = "\(classes)/power_supply"
        // The kernel's own group: no daemon has to pass it on.
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

    /// Every device of the machine announces itself here.
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
            // No folder among others: the kernel knows no power supplies at all. No folder and no others: it cannot be seen.
            guard error.number == ENOENT, SystemFile.exists(classes) else { throw error }
            return PowerReading(supplies: [])
        }
    }
}
