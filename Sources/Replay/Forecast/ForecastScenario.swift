// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import Scheduling
package import TaskModel

/// All inputs of a forecast. Equal scenarios give equal forecasts, unless the time limit cuts them.
package struct ForecastScenario: Sendable {
    /// The greatest number of events that the scheduler handles for one forecast.
    package static let mostSteps = 200_000

    package var seed: ForecastSeed
    /// The state of the ledger, read after the seed was taken.
    package var snapshot: LedgerSnapshot
    package var work: [PluginWork]
    package var catalogue: Catalogue
    package var times: ExpectedTimes
    package var until: WallTime
    /// The plugin whose waiting work is listed; nil for all.
    package var plugin: PluginIdentifier?
    /// Maximum number of listed waiting items.
    package var limit: Int
    package var mostSteps = Self.mostSteps

    package init(
        seed: ForecastSeed,
        snapshot: LedgerSnapshot,
        work: [PluginWork],
        catalogue: Catalogue,
        times: ExpectedTimes = ExpectedTimes(),
        until: WallTime,
        plugin: PluginIdentifier? = nil,
        limit: Int = 100
    ) {
        self.seed = seed
        self.snapshot = snapshot
        self.work = work
        self.catalogue = catalogue
        self.times = times
        self.until = until
        self.plugin = plugin
        self.limit = limit
    }

    /// Computes the forecast.
    ///
    /// - Parameter isTimeOver: whether the time limit of the computation is reached. Called before each event.
    package func compute(isTimeOver: @escaping () -> Bool = { false }) -> Forecast {
        let world = ForecastWorld(self, isTimeOver: isTimeOver)
        world.play()
        return world.finished
    }
}
