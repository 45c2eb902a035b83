// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// One thing about the machine that a decision can depend on: one row per condition.
///
/// Configuration, flags, `simulate conditions`, status, watch, replays, timelines and routes follow from the rows. What
/// measures a condition is in HostConditions; what it decides is in Scheduling.
package enum Condition: UInt8, Hashable, Sendable, CaseIterable {
    case externalPower
    case network
    case idle
    case highLoad
    case lowMemory
    case hot
    /// A graphics processor is there for continued tasks that ask for one.
    case gpu

    package struct Row: Sendable {
        /// The name in configuration, flags and traces.
        package let name: String
        package let help: String
        /// Of its band in timelines.
        package let color: String
        /// When it holds in a replay whose trace does not name it.
        package let replay: ReplayCourse
        package let traits: Traits
        /// Why tasks that need the condition expire when it is lost; nil when they go on.
        package let loss: ExpirationReason?

        fileprivate init(
            _ name: String,
            _ help: String,
            _ color: String,
            replay: ReplayCourse,
            _ traits: Traits = [],
            loss: ExpirationReason? = nil
        ) {
            self.name = name
            self.help = help
            self.color = color
            self.replay = replay
            self.traits = traits
            self.loss = loss
        }
    }

    package enum ReplayCourse: Hashable, Sendable {
        case always
        case never
        /// While no user is active.
        case whileUnused
        /// No part of a trace, and never there.
        case untraced
    }

    package struct Traits: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Work is delayed while it holds.
        package static let trouble = Traits(rawValue: 1)
        /// Costs something to sample: sampled only while work waits or runs.
        package static let sampled = Traits(rawValue: 2)
    }

    package var row: Row {
        switch self {
        case .externalPower:
            Row(
                "external-power",
                "Whether the machine is on external power.",
                "#4c9a5b",
                replay: .always,
                loss: .externalPowerLost
            )
        case .network:
            Row("network", "Whether the machine has a network.", "#3f83bf", replay: .always, loss: .networkLost)
        case .idle:
            Row(
                "idle",
                "Whether nobody else uses the machine.",
                "#8aa5b1",
                replay: .whileUnused,
                .sampled,
                loss: .notIdle
            )
        case .highLoad:
            Row("high-load", "Whether the processors are busy.", "#d0863a", replay: .never, [.trouble, .sampled])
        case .lowMemory: Row("low-memory", "Whether memory is short.", "#b8559a", replay: .never, .trouble)
        case .hot: Row("hot", "Whether the machine is hot.", "#c8483f", replay: .never, [.trouble, .sampled])
        case .gpu: Row("gpu", "Whether continued tasks may ask for a GPU.", "#5d6a8c", replay: .untraced)
        }
    }

    /// The condition takes part in whether work of the class may run.
    package func concerns(_ workClass: WorkClass) -> Bool {
        switch self {
        case .externalPower: workClass.requiresExternalPower
        case .network: workClass.requiresNetwork
        case .gpu: workClass.resources.contains(.gpu)
        case .idle, .highLoad, .lowMemory, .hot: workClass.kind != .event
        }
    }

    /// Work of the request cannot go on without the condition.
    package func isNeeded(by request: TaskRequest) -> Bool {
        switch self {
        case .externalPower: request.requiresExternalPower
        case .network: request.requiresNetwork
        case .idle: request.kind.isProcessing
        case .highLoad, .lowMemory, .hot, .gpu: false
        }
    }

    /// `allCases`, made once.
    package static let all = allCases
    /// Those that are sampled only while they are needed.
    package static let sampled = Set(all.filter { $0.row.traits.contains(.sampled) })

    package var name: String { row.name }
    /// The key in JSON.
    package var key: String { name.replacing("-", with: "_") }
    /// The name as people read it.
    package var title: String { name.replacing("-", with: " ") }
    /// Until its first sample nothing says that the machine is free of it.
    package var isAwaitedTrouble: Bool { row.traits.isSuperset(of: [.trouble, .sampled]) }
}
