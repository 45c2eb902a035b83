// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The thresholds at which a measurement sets a condition. The operator can change the thresholds that have a key below
/// `sensors`.
package struct ConditionThresholds: Hashable, Sendable {
    // Idle and load: shares of all processors used by other processes than the host's launches, between 0 and 1.

    /// Interval of load samples while a pending decision depends on load.
    package var sampleInterval: Duration = .seconds(5)
    /// The machine becomes idle when share and pressure stay below these values for `idleAfter`.
    package var idleShare = 0.10
    package var idlePressure = 0.10
    package var idleAfter: Duration = .seconds(30)
    /// Idleness ends when share or pressure stays above its value for `busyAfter`. Between the thresholds the state
    /// does not change.
    package var busyShare = 0.25
    package var busyPressure = 0.25
    package var busyAfter: Duration = .seconds(10)

    /// Load becomes high above `highLoadShare` and ends below `highLoadEndShare`, each after `highLoadAfter`.
    package var highLoadShare = 0.80
    package var highLoadEndShare = 0.60
    package var highLoadAfter: Duration = .seconds(15)

    // Memory: the share of time in which some process waited for memory, as the kernel counts it.

    /// Waiting time within `memoryWindow` that is pressure. The kernel allows windows of two seconds to unprivileged
    /// processes.
    package var memoryStall: Duration = .milliseconds(200)
    package var memoryWindow: Duration = .seconds(2)
    /// Percentage of waiting, averaged over ten seconds, below which pressure ends.
    package var memoryClearPercent = 1.0
    package var memoryInterval: Duration = .seconds(2)

    // Heat, in degrees.

    /// Distance from the lowest trip point of a zone at which the machine becomes hot. It stays hot until the distance
    /// exceeds both margins together.
    package var heatMargin = 5.0
    package var heatEndMargin = 5.0
    package var heatInterval: Duration = .seconds(15)

    /// Interval of samples of the keys of encrypted containers: the kernel does not report their changes.
    package var lockInterval: Duration = .seconds(5)

    package init() {}

    /// Thresholds that are shares, with their keys in the configuration, where they are percentages.
    package static let shares: [(key: String, paths: [any WritableKeyPath<ConditionThresholds, Double> & Sendable])] = [
        ("idle-percent", [\.idleShare, \.idlePressure]), ("busy-percent", [\.busyShare, \.busyPressure]),
        ("high-load-percent", [\.highLoadShare]), ("high-load-end-percent", [\.highLoadEndShare]),
    ]
}
