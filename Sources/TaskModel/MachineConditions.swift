// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Conditions of the machine as bits: those that hold, those that work waits for, those that changed.
package struct MachineConditions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package init(_ condition: Condition) { self.init(rawValue: 1 << UInt32(condition.rawValue)) }

    package static var externalPower: Self { Self(.externalPower) }
    package static var network: Self { Self(.network) }
    package static var memory: Self { Self(.lowMemory) }
    package static var heat: Self { Self(.hot) }
    package static var resources: Self { Self(.gpu) }

    // What work can wait for beside the conditions; far from their bits.

    /// Locks and mounts of containers.
    package static var containers: Self { Self(rawValue: 1 << 30) }
    /// The first sample of conditions that are only sampled while they are needed.
    package static var firstSample: Self { Self(rawValue: 1 << 31) }

    /// The conditions that follow from the use of the machine: user activity and load.
    package static var use: Self { [Self(.idle), Self(.highLoad), .firstSample] }

    /// Every single bit.
    package static let each: [Self] = Condition.all.map { Self($0) } + [.containers, .firstSample]
}
