// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import Scheduling
package import TaskModel

/// All inputs of a replay. Equal scenarios give equal records, whenever and on whichever machine the replay runs.
package struct ReplayScenario: Sendable {
    package enum Length: String, Hashable, Sendable, CaseIterable {
        case day
        case week

        package var duration: Duration { .seconds((self == .day ? 1 : 7) * 24 * 60 * 60) }
    }

    /// Start of every replay: midnight of Monday, 2026-01-05. Replays have no time zone.
    static let begin = WallTime(nanoseconds: 0) + .seconds(1_767_571_200)

    package var length: Length
    package var trace: ConditionTrace
    package var population: PluginPopulation
    package var configuration: SchedulingConfiguration
    /// The uses of plugins that the host learned before the replay.
    package var uses: [PluginIdentifier: UseHistogram]
    package var seed: UInt64

    package init(
        length: Length,
        trace: ConditionTrace,
        population: PluginPopulation,
        configuration: SchedulingConfiguration = SchedulingConfiguration(),
        uses: [PluginIdentifier: UseHistogram] = [:],
        seed: UInt64
    ) {
        self.length = length
        self.trace = trace
        self.population = population
        self.configuration = configuration
        self.uses = uses
        self.seed = seed
    }

    package var period: Range<WallTime> { Self.begin..<(Self.begin + length.duration) }

    /// Runs the replay.
    ///
    /// - Parameter report: called after each simulated hour in which something happened.
    package func play(reporting report: (ReplayProgress) -> Void = { _ in }) -> ReplayRecord {
        let world = ReplayWorld(self)
        world.play(until: period.upperBound, reporting: report)
        return world.finishedRecord
    }
}
