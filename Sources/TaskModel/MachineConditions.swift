// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A set of conditions, one bit each: for example the conditions that hold, that block work, or that have changed.
package struct MachineConditions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package init(_ condition: Condition) { self.init(rawValue: 1 << UInt32(condition.rawValue)) }

    package static var externalPower: Self { Self(.externalPower) }
    package static var network: Self { Self(.network) }
    package static var memory: Self { Self(.lowMemory) }
    package static var heat: Self { Self(.hot) }
    package static var resources: Self { Self(.gpu) }

    // Other changes that work can wait for. Their bits leave room for new conditions.

    /// The bit that stands for the locks and mounts of all containers.
    package static var containers: Self { Self(rawValue: 1 << 30) }
    /// The bit that stands for `Conditions.isUseUnknown`: in a change it is set when that value has changed.
    package static var firstSample: Self { Self(rawValue: 1 << 31) }

    /// The bits of idleness and of high load, and `firstSample`. `Condition.sampled` has further conditions.
    package static var sampled: Self { [Self(.idle), Self(.highLoad), .firstSample] }

    /// Sets with a single bit: one for each condition, `containers` and `firstSample`.
    package static let each: [Self] = Condition.all.map { Self($0) } + [.containers, .firstSample]
}
