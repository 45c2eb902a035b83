// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A generator of pseudo-random numbers (SplitMix64). A seed gives the same sequence on every machine.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// Creates a sequence for one name that is independent of the sequences of other names: draws from one sequence do
    /// not change another.
    package init(seed: UInt64, for name: String) {
        // FNV-1a: `hashValue` differs between processes.
        state = name.utf8.reduce(seed ^ 0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        _ = next()
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    /// Returns true in `percent` of 100 draws on average.
    package mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    package mutating func duration(in range: ClosedRange<Duration>) -> Duration {
        let nanoseconds = range.lowerBound.wholeNanoseconds...range.upperBound.wholeNanoseconds
        return .nanoseconds(Int64.random(in: nanoseconds, using: &self))
    }
}
