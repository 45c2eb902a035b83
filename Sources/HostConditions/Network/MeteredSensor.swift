// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import MessageBus
import TaskModel

/// Measures whether NetworkManager counts the network as metered. Without NetworkManager the reading is missing, so that
/// the network counts as unmetered. The sensor follows the property while the condition is watched, and has no
/// connection otherwise.
final class MeteredSensor: Sensor {
    private static let service = "org.freedesktop.NetworkManager"

    private let bus: BusConnection
    /// A `NMMetered`: 0 unknown, 1 yes, 2 no, 3 guessed yes, 4 guessed no.
    private let metered = BusProperty(
        "Metered",
        of: service,
        at: "/org/freedesktop/NetworkManager",
        service: service
    )

    init(_ roots: SystemRoots) {
        bus = BusConnection(roots.systemBus)
        bus.follow(metered)
    }

    var awaited: Awaited? { Awaited(bus) }
    var nextSample: MonotonicTime? { bus.nextTurn }

    func watch(_ conditions: Set<Condition>, at now: MonotonicTime) {
        if conditions.contains(.metered) { bus.open(at: now) } else { bus.close() }
    }

    func sample(at now: MonotonicTime) { bus.dispatch(at: now) }

    func write(to readings: inout Readings) { readings.conditions[.metered] = reading }

    private var reading: ConditionReading {
        switch metered.reading {
        case .unread: .unwatched
        case .unavailable(let cause): .missing(cause)
        case .value(let value): reading(of: value)
        }
    }

    private func reading(of value: BusValue) -> ConditionReading {
        guard case .number(let code) = value else {
            return .missing("\(Self.service) returns no readable \(metered.name)")
        }
        let word = ["unknown", "yes", "no", "guess-yes", "guess-no"].dropFirst(Int(clamping: code)).first ?? "unknown"
        return .measured(code == 1 || code == 3, from: Self.service, detail: "metered is \(word)")
    }
}
