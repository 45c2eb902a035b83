// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import MessageBus
import TaskModel

/// Measures whether power-saver is the active profile of power-profiles-daemon, regardless of the user or program that
/// activated it. The sensor follows the profile while the condition is watched, and has no connection otherwise.
final class PowerSaverSensor: Sensor {
    private static let profile = "power-saver"

    private let bus: BusConnection
    /// The property `ActiveProfile` of the daemon under its present name, and under its name in older versions.
    private let profiles = [
        ("org.freedesktop.UPower.PowerProfiles", "/org/freedesktop/UPower/PowerProfiles"),
        ("net.hadess.PowerProfiles", "/net/hadess/PowerProfiles"),
    ].map { service, path in BusProperty("ActiveProfile", of: service, at: path, service: service) }

    init(_ roots: SystemRoots) {
        bus = BusConnection(roots.systemBus)
        for profile in profiles { bus.follow(profile) }
    }

    var awaited: Awaited? { Awaited(bus) }
    var nextSample: MonotonicTime? { bus.nextTurn }

    func watch(_ conditions: Set<Condition>, at now: MonotonicTime) {
        if conditions.contains(.powerSaver) { bus.open(at: now) } else { bus.close() }
    }

    func sample(at now: MonotonicTime) { bus.dispatch(at: now) }

    func write(to readings: inout Readings) { readings.conditions[.powerSaver] = reading }

    /// The reading from the two names of the daemon. The value under one name is enough. Without a value the reading is
    /// `unwatched` until both names have answered, then `missing`.
    private var reading: ConditionReading {
        for profile in profiles {
            guard case .value(.text(let active)) = profile.reading else { continue }
            let isSaving = active == Self.profile
            return .measured(isSaving, from: profile.service, detail: "the active profile is \(active)")
        }
        var problems: [String] = []
        for profile in profiles {
            switch profile.reading {
            case .unread: return .unwatched
            case .value: problems.append("\(profile.service) returns no readable \(profile.name)")
            case .unavailable(let cause): problems.append(cause)
            }
        }
        return .missing(Set(problems).sorted().joined(separator: "; "))
    }
}
