// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The progress of a replay, and its cost so far.
package struct ReplayProgress: Hashable, Sendable {
    /// Number of simulated hours that have passed.
    package let hours: Int
    /// Number of simulated hours of the whole replay.
    package let allHours: Int
    /// Number of launches so far, with those of events.
    package let launches: Int

    package init(hours: Int, of allHours: Int, launches: Int) {
        self.hours = hours
        self.allHours = allHours
        self.launches = launches
    }
}
