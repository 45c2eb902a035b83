// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import TaskModel

/// The loop of the sensors' thread: waits for all sensors at once, reads the sensors with an event or a due sample, and
/// posts their readings to the `ConditionsBoard`.
///
/// The loop sleeps without a timeout while no sensor has to be sampled.
final class ConditionsLoop {
    private let containers: ContainerSensor
    private let resume: ResumeSensor
    private let sensors: [any Sensor]
    private let waits: WaitSet
    private var watch = ConditionsBoard.Watch()

    init(
        _ roots: SystemRoots,
        _ thresholds: ConditionThresholds,
        _ usage: LaunchUsage,
        wokenBy wakeChannel: Descriptor
    ) throws(SystemError) {
        let now = MonotonicTime.now
        containers = ContainerSensor(roots, thresholds)
        resume = ResumeSensor()
        waits = try WaitSet(wokenBy: wakeChannel)
        sensors = [
            resume, PowerSensor(roots, thresholds, at: now), NetworkSensor(at: now),
            MemorySensor(roots, thresholds), GraphicsSensor(roots, at: now), IdleSensor(roots, thresholds, usage),
            HeatSensor(roots, thresholds), PowerSaverSensor(roots), MeteredSensor(roots), containers,
        ]
        updateWaits()
    }

    var readings: Readings { sensors.reduce(into: Readings()) { $1.write(to: &$0) } }

    func run(_ board: ConditionsBoard) {
        while !board.isClosing {
            obey(board.watch)
            updateWaits()
            board.post(readings)
            let ready = waits.wait(timeout: timeout)
            let now = MonotonicTime.now
            for place in ready { sensors[place].listen(at: now) }
            for sensor in sensors where sensor.nextSample.map({ $0 <= now }) ?? false { sensor.sample(at: now) }
            if let duration = resume.takeResumption() {
                board.resumed(after: duration)
                for sensor in sensors { sensor.sample(at: now) }
            }
        }
        board.closed()
    }

    /// Time until the next wake-up for samples; nil when no sensor has to be sampled.
    var timeout: Duration? { Self.wakeTime(of: sensors.compactMap(\.nextSample)).map { $0 - .now } }

    /// The time of one wake-up for the earliest sample and all that follow it within `slack`; nil without samples.
    static func wakeTime(of samples: [MonotonicTime]) -> MonotonicTime? {
        guard let first = samples.min() else { return nil }
        return samples.filter { $0 <= first + slack }.max()
    }

    /// Maximum delay of a sample. The intervals of the sensors have common multiples, so most samples share a wake-up.
    private static let slack: Duration = .milliseconds(100)

    private func obey(_ wanted: ConditionsBoard.Watch) {
        guard wanted != watch else { return }
        watch = wanted
        let now = MonotonicTime.now
        for sensor in sensors { sensor.watch(wanted.conditions, at: now) }
        containers.watch(wanted.containers, at: now)
    }

    private func updateWaits() {
        for (place, sensor) in sensors.enumerated() {
            do throws(SystemError) {
                if try waits.set(sensor.awaited, at: place) { sensor.sample(at: .now) }
            } catch {
                sensor.cannotWait(error)
            }
        }
    }
}
