// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A fact of the machine that decisions can depend on. Each case has one `Row`.
///
/// Configuration, flags, `simulate conditions`, status, watch, replays, timelines and routes are derived from the rows.
/// HostConditions measures the conditions; Scheduling decides from them.
package enum Condition: UInt8, Hashable, Sendable, CaseIterable {
    case externalPower
    case network
    case idle
    case highLoad
    case lowMemory
    case hot
    case batteryLow
    case powerSaver
    /// The network is paid by its use. Discretionary transfers wait.
    case metered
    /// A graphics processor is available to continued tasks that request it.
    case gpu

    package struct Row: Sendable {
        /// The name in configuration, flags and traces.
        package let name: String
        package let help: String
        /// Colour of the condition's band in timelines.
        package let color: String
        /// The times at which the condition holds in a replay whose trace does not contain the condition.
        package let replay: ReplayCourse
        package let traits: Traits
        /// The reason with which running tasks that need the condition expire when the condition is lost, or those that
        /// a trouble stops when it begins; nil when such tasks continue.
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
        /// In a replay, the condition holds while no user of the machine is active.
        case whileUnused
        /// A trace cannot contain the condition, and in a replay the condition never holds.
        case untraced
    }

    package struct Traits: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A condition that delays work while it holds.
        package static let trouble = Traits(rawValue: 1)
        /// A condition whose sampling has a cost. It is sampled only while work waits or runs, or a feeder may submit work.
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
                "Whether the machine is idle.",
                "#8aa5b1",
                replay: .whileUnused,
                .sampled,
                loss: .notIdle
            )
        case .highLoad:
            Row("high-load", "Whether the processors are busy.", "#d0863a", replay: .never, [.trouble, .sampled])
        case .lowMemory: Row("low-memory", "Whether memory is short.", "#b8559a", replay: .never, .trouble)
        case .hot: Row("hot", "Whether the machine is hot.", "#c8483f", replay: .never, [.trouble, .sampled])
        case .batteryLow:
            Row(
                "battery-low",
                "Whether the battery is low and the machine is not on external power.",
                "#a5803f",
                replay: .never,
                [.trouble, .sampled]
            )
        case .powerSaver:
            Row(
                "power-saver",
                "Whether the machine is in power-saver mode.",
                "#7a9e3f",
                replay: .never,
                [.trouble, .sampled]
            )
        case .metered:
            Row(
                "metered",
                "Whether the network is metered.",
                "#4a6f8f",
                replay: .never,
                [.trouble, .sampled],
                loss: .networkLost
            )
        case .gpu: Row("gpu", "Whether continued tasks may request a GPU.", "#5d6a8c", replay: .untraced)
        }
    }

    /// Whether work of the class may wait for the condition. True also for some conditions without effect on the class.
    package func concerns(_ workClass: WorkClass) -> Bool {
        switch self {
        case .externalPower: workClass.requiresExternalPower
        case .network: workClass.requiresNetwork
        case .gpu: workClass.resources.contains(.gpu)
        case .idle, .highLoad, .lowMemory, .hot: workClass.kind != .event
        case .batteryLow, .powerSaver: workClass.kind.lane == .background
        case .metered: workClass.isDiscretionaryTransfer
        }
    }

    /// Whether a running task of the request needs the condition, so that the loss of the condition may expire the
    /// task. Of a trouble: whether its begin may expire the task.
    package func isNeeded(by request: TaskRequest) -> Bool {
        switch self {
        case .externalPower: request.requiresExternalPower
        case .network: request.requiresNetwork
        case .idle: request.waitsForIdle
        case .metered: request.isDiscretionaryTransfer
        case .highLoad, .lowMemory, .hot, .batteryLow, .powerSaver, .gpu: false
        }
    }

    /// `allCases` as a stored value, computed once.
    package static let all = allCases
    /// The conditions that are sampled only while work waits or runs, or a feeder may submit work.
    package static let sampled = Set(all.filter { $0.row.traits.contains(.sampled) })

    package var name: String { row.name }
    /// The name of the condition as a key in JSON: underscores in place of hyphens.
    package var key: String { name.replacing("-", with: "_") }
    /// The name as shown to users: spaces in place of hyphens.
    package var title: String { name.replacing("-", with: " ") }
    /// Whether the condition delays work and is sampled only on demand. Until every such condition has a value,
    /// `Conditions.isUseUnknown` is true.
    package var isAwaitedTrouble: Bool { row.traits.isSuperset(of: [.trouble, .sampled]) }
}
