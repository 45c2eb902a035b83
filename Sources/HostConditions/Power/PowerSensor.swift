// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import TaskModel

/// Detects external power and a low battery from the machine's power supplies. The kernel reports their changes; the
/// charge is also sampled while the battery is watched.
final class PowerSensor: Sensor {
    private let classes: String
    private let directory: String
    private let events: Result<NetlinkSocket, SystemError>
    private let thresholds: ConditionThresholds
    private var reading = ConditionReading.unwatched
    private var battery = ConditionReading.unwatched
    private(set) var nextSample: MonotonicTime?

    init(_ roots: SystemRoots, _ thresholds: ConditionThresholds = ConditionThresholds(), at now: MonotonicTime) {
        self.thresholds = thresholds
        classes = "\(roots.sys)/class"
        directory = "\(classes)/power_supply"
        // The group of the kernel's own events: no daemon has to forward them.
        events = Result { () throws(SystemError) in try NetlinkSocket(protocol: NETLINK_KOBJECT_UEVENT, groups: 1) }
        sample(at: now)
    }

    var awaited: Awaited? { (try? events.get()).map { Awaited(descriptor: $0.descriptor) } }

    func listen(at now: MonotonicTime) {
        guard let news = try? events.get().drain() else { return }
        if Self.concerns(news) { sample(at: now) }
    }

    func watch(_ conditions: Set<Condition>, at now: MonotonicTime) {
        let isWatched = conditions.contains(.batteryLow)
        if isWatched == (nextSample != nil) { return }
        nextSample = isWatched ? now : nil
        battery = .unwatched
        if isWatched { sample(at: now) }
    }

    func sample(at now: MonotonicTime) {
        if nextSample != nil { nextSample = now + thresholds.batteryInterval }
        do throws(SystemError) {
            let power = try readSupplies()
            let notice =
                if case .failure(let error) = events { "; later changes may be missed: \(error)" } else { "" }
            reading = .measured(power.isOnExternalPower, from: directory, detail: power.words + notice)
            battery = nextSample == nil ? .unwatched : judge(power)
        } catch {
            reading = .missing(error.description)
            battery = nextSample == nil ? .unwatched : .missing(error.description)
        }
    }

    func write(to readings: inout Readings) {
        readings.conditions[.externalPower] = reading
        readings.conditions[.batteryLow] = battery
    }

    /// The reading of the condition low battery: true without external power while the charge is at or below the
    /// threshold. A low battery stays low until external power returns, or its charge exceeds the threshold by
    /// `batteryEndMargin`. Missing when no battery reports its charge.
    private func judge(_ power: PowerReading) -> ConditionReading {
        guard let charge = power.charge else { return .missing("\(directory) has no battery that reports its charge") }
        let limit = thresholds.batteryLowShare + (battery.holds ? thresholds.batteryEndMargin : 0)
        return .measured(!power.isOnExternalPower && charge <= limit, from: directory, detail: power.words)
    }

    /// Whether messages can concern a power supply. The socket receives the events of all devices.
    private static func concerns(_ news: NetlinkSocket.News) -> Bool {
        switch news {
        case .lost: true
        case .messages(let messages): messages.contains { DeviceEvent(parsing: $0)?.subsystem == "power_supply" }
        }
    }

    private func readSupplies() throws(SystemError) -> PowerReading {
        do throws(SystemError) {
            return try PowerReading(directory: directory)
        } catch {
            // If this directory alone is missing, the kernel supports no power supplies. If its parent is missing too,
            // they are not visible.
            guard error.number == ENOENT, SystemFile.exists(classes) else { throw error }
            return PowerReading(supplies: [])
        }
    }
}
