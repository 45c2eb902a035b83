// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import TaskModel

/// What all sensors have found out so far.
struct Readings: Equatable {
    var conditions: [Condition: ConditionReading] = [:]
    /// Whether the container of a main plugin is locked.
    var containers: [PluginIdentifier: ConditionReading] = [:]
}

/// One source of truth about the machine. Lives on the thread of `ConditionsLoop`, which looks when it is told to.
protocol Sensor: AnyObject {
    /// What becomes ready when there is something new.
    var awaited: Awaited? { get }
    /// When to look without being told: nil while nothing is watched that has to be sampled.
    var nextLook: MonotonicTime? { get }

    /// The sampled conditions that are needed from now on; a sensor that is told of changes ignores them.
    func watch(_ conditions: Set<Condition>, at now: MonotonicTime)

    /// Takes what `awaited` was ready with, and reads anew if that concerns it.
    func listen(at now: MonotonicTime)

    /// Reads anew: `nextLook` came, or the machine resumed.
    func look(at now: MonotonicTime)

    /// What `awaited` offers cannot be waited for on this kernel; not asked again.
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
