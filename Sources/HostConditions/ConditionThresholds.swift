// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// From where on something measured counts. Every default can be seen and changed by the operator.
package struct ConditionThresholds: Hashable, Sendable {
    // Idle and load: shares of all processors that others than the host's launches use, between 0 and 1.

    /// How often load is sampled, while somebody waits for it.
    package var sampleInterval: Duration = .seconds(5)
    /// Below both, for so long, the machine becomes idle.
    package var idleShare = 0.10
    package var idlePressure = 0.10
    package var idleAfter: Duration = .seconds(30)
    /// Above one of them, for so long, it is idle no more; in between it stays what it was.
    package var busyShare = 0.25
    package var busyPressure = 0.25
    package var busyAfter: Duration = .seconds(10)

    /// Load becomes high above the first, and is so until it stays below the second.
    package var highLoadShare = 0.80
    package var highLoadEndShare = 0.60
    package var highLoadAfter: Duration = .seconds(15)

    // Memory: the share of time in which some process waited for memory, as the kernel counts it.

    /// So much waiting within the window is pressure. The kernel admits windows of two seconds to everybody.
    package var memoryStall: Duration = .milliseconds(200)
    package var memoryWindow: Duration = .seconds(2)
    /// Pressure is over when the average of ten seconds, in percent, is below this.
    package var memoryClearPercent = 1.0
    package var memoryInterval: Duration = .seconds(2)

    // Heat, in degrees.

    /// So close to the lowest trip point of a zone is hot, and until so much below that.
    package var heatMargin = 5.0
    package var heatEndMargin = 5.0
    package var heatInterval: Duration = .seconds(15)

    // The battery: share of its energy that is left, between 0 and 1.

    /// So little is low, and until so much more is left; not on external power.
    package var batteryLowShare = 0.20
    package var batteryEndMargin = 0.05
    package var batteryInterval: Duration = .seconds(30)

    /// How often the lock of encrypted containers is asked for, of which the kernel tells nothing by itself.
    package var lockInterval: Duration = .seconds(5)

    package init() {}

    /// A threshold that the operator can set: its key in the configuration, and how its value is written there.
    ///
    /// The configuration file, `host status` and the API follow from the rows.
    package struct Row: Sendable {
        package enum Value: Sendable {
            /// A whole number from 1 to 100, for shares.
            case percent([any WritableKeyPath<ConditionThresholds, Double> & Sendable])
            /// A whole number from 0 to 100.
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
