// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The thresholds at which measurements set conditions, and the intervals between measurements. The operator can change
/// the values that have a key below `sensors`: those in `rows`.
package struct ConditionThresholds: Hashable, Sendable {
    // Idle and load: shares of all processors used by other processes than the host's launches, between 0 and 1.

    /// Interval of load samples while idleness or load is watched.
    package var sampleInterval: Duration = .seconds(5)
    /// The machine becomes idle when the used share of the processors stays below `idleShare` and each pressure below
    /// `idlePressure`, both from 0 to 1, for `idleAfter`. It is never idle while a session may be active.
    package var idleShare = 0.10
    package var idlePressure = 0.10
    package var idleAfter: Duration = .seconds(30)
    /// Idleness ends when the used share of the processors stays above `busyShare` or a pressure above `busyPressure`,
    /// both from 0 to 1, for `busyAfter`. Between the thresholds the state does not change. An active session ends
    /// idleness at once.
    package var busyShare = 0.25
    package var busyPressure = 0.25
    package var busyAfter: Duration = .seconds(10)

    /// Load becomes high when the used share of the processors stays above `highLoadShare` for `highLoadAfter`. At the
    /// first sample it is high when the load average per processor exceeds `highLoadShare`. It ends when the used share
    /// stays below `highLoadEndShare` for `highLoadAfter`.
    package var highLoadShare = 0.80
    package var highLoadEndShare = 0.60
    package var highLoadAfter: Duration = .seconds(15)

    // Memory: the share of time in which some process waited for memory, as the kernel counts it.

    /// Memory is low when processes wait for memory for `memoryStall` within `memoryWindow`. For an unprivileged
    /// process the kernel accepts only windows that are multiples of two seconds.
    package var memoryStall: Duration = .milliseconds(200)
    package var memoryWindow: Duration = .seconds(2)
    /// Memory is no longer low when the percentage of waiting time, averaged over ten seconds, is below this value.
    package var memoryClearPercent = 1.0
    package var memoryInterval: Duration = .seconds(2)

    // Heat, in degrees.

    /// The machine becomes hot when the temperature of a thermal zone is within this distance of its lowest trip point,
    /// in degrees Celsius. The machine stays hot until the distance exceeds both margins together.
    package var heatMargin = 5.0
    package var heatEndMargin = 5.0
    package var heatInterval: Duration = .seconds(15)

    // The battery: share of its energy that is left, between 0 and 1.

    /// Share of charge, from 0 to 1, at which a battery without external power is low. `batteryEndMargin` is added to
    /// this share: above the sum the battery is no longer low.
    package var batteryLowShare = 0.20
    package var batteryEndMargin = 0.05
    package var batteryInterval: Duration = .seconds(30)

    /// Interval of samples of containers whose state can change without an event, such as those with encryption keys.
    package var lockInterval: Duration = .seconds(5)

    package init() {}

    /// A threshold or interval that the operator can set: its key in the configuration, and the notation of its value.
    ///
    /// The configuration file, `host status` and the API are derived from these rows.
    package struct Row: Sendable {
        package enum Value: Sendable {
            /// A whole number from 1 to 100, which sets one or several shares.
            case percent([any WritableKeyPath<ConditionThresholds, Double> & Sendable])
            /// A whole number of degrees from 0 to 100.
            case degrees(any WritableKeyPath<ConditionThresholds, Double> & Sendable)
            case duration(any WritableKeyPath<ConditionThresholds, Duration> & Sendable, mayBeZero: Bool)
        }

        package let key: String
        package let value: Value
    }

    package static let rows = [
        Row(key: "sample-interval", value: .duration(\.sampleInterval, mayBeZero: false)),
        Row(key: "idle-percent", value: .percent([\.idleShare, \.idlePressure])),
        Row(key: "idle-after", value: .duration(\.idleAfter, mayBeZero: true)),
        Row(key: "busy-percent", value: .percent([\.busyShare, \.busyPressure])),
        Row(key: "busy-after", value: .duration(\.busyAfter, mayBeZero: true)),
        Row(key: "high-load-percent", value: .percent([\.highLoadShare])),
        Row(key: "high-load-end-percent", value: .percent([\.highLoadEndShare])),
        Row(key: "high-load-after", value: .duration(\.highLoadAfter, mayBeZero: true)),
        Row(key: "battery-low-percent", value: .percent([\.batteryLowShare])),
        Row(key: "heat-margin", value: .degrees(\.heatMargin)),
    ]
}
