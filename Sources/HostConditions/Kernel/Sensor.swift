// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import TaskModel

/// The present readings of all sensors.
struct Readings: Equatable {
    var conditions: [Condition: ConditionReading] = [:]
    /// The locks of the watched containers of main plugins: whether the container is locked.
    var containers: [PluginIdentifier: ConditionReading] = [:]
}

/// A source of conditions of the machine. Confined to the thread of `ConditionsLoop`, which makes all calls.
protocol Sensor: AnyObject {
    /// Descriptor that becomes ready when the sensor has input; nil when the sensor has none.
    var awaited: Awaited? { get }
    /// Time of the next sample; nil while no watched condition has to be sampled.
    var nextSample: MonotonicTime? { get }

    /// Sets which sampled conditions are needed from now on. Sensors of conditions that are always known ignore the
    /// call.
    func watch(_ conditions: Set<Condition>, at now: MonotonicTime)

    /// Consumes the input of `awaited`, and reads the condition anew if the input is relevant to it.
    func listen(at now: MonotonicTime)

    /// Reads the condition anew: at `nextSample`, after a resumption, and after the wait set has added a file with
    /// `BGL_CHANGED`.
    func sample(at now: MonotonicTime)

    /// Called when the descriptor in `awaited` cannot be added to the wait set. A sensor of a file that the kernel may
    /// refuse returns no descriptor from then on. For any other sensor the loop repeats the attempt.
    func cannotWait(_ error: SystemError)

    func write(to readings: inout Readings)
}

extension Sensor {
    var awaited: Awaited? { nil }
    var nextSample: MonotonicTime? { nil }
    func watch(_ conditions: Set<Condition>, at now: MonotonicTime) {}
    func listen(at now: MonotonicTime) { sample(at: now) }
    func cannotWait(_ error: SystemError) {}
}
