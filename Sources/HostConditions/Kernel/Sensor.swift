// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import TaskModel

/// The present readings of all sensors.
struct Readings: Equatable {
    var conditions: [Condition: ConditionReading] = [:]
    /// Whether the container of a main plugin is locked.
    var containers: [PluginIdentifier: ConditionReading] = [:]
}

/// A source of conditions of the machine. Belongs to the thread of `ConditionsLoop`, which makes all calls.
protocol Sensor: AnyObject {
    /// Descriptor that becomes ready at a change; nil when there is none to wait for.
    var awaited: Awaited? { get }
    /// Time of the next sample; nil while no watched condition has to be sampled.
    var nextLook: MonotonicTime? { get }

    /// Sets the sampled conditions that are needed from now on. Event-driven sensors ignore it.
    func watch(_ conditions: Set<Condition>, at now: MonotonicTime)

    /// Consumes the input of `awaited`, and reads anew if that input is relevant.
    func listen(at now: MonotonicTime)

    /// Reads anew, because `nextLook` has come or the machine has resumed.
    func look(at now: MonotonicTime)

    /// Reports that this kernel cannot wait for the descriptor of `awaited`. The sensor no longer offers it.
    func cannotWait(_ error: SystemError)

    func write(to readings: inout Readings)
}

extension Sensor {
    var awaited: Awaited? { nil }
    var nextLook: MonotonicTime? { nil }
    func watch(_ conditions: Set<Condition>, at now: MonotonicTime) {}
    func listen(at now: MonotonicTime) { look(at: now) }
    func cannotWait(_ error: SystemError) {}
}
