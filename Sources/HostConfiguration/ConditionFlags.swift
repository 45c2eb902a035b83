// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ArgumentParser
package import TaskModel

/// One command-line option per condition. The table of conditions (`Condition.row`) contains each option's name and
/// help.
package struct ConditionFlags<Value: ConditionWord>: ParsableArguments {
    @Option(name: name(.externalPower), help: help(.externalPower)) var externalPower: Value?
    @Option(name: name(.network), help: help(.network)) var network: Value?
    @Option(name: name(.idle), help: help(.idle)) var idle: Value?
    @Option(name: name(.highLoad), help: help(.highLoad)) var highLoad: Value?
    @Option(name: name(.lowMemory), help: help(.lowMemory)) var lowMemory: Value?
    @Option(name: name(.hot), help: help(.hot)) var hot: Value?
    @Option(name: name(.batteryLow), help: help(.batteryLow)) var batteryLow: Value?
    @Option(name: name(.powerSaver), help: help(.powerSaver)) var powerSaver: Value?
    @Option(name: name(.metered), help: help(.metered)) var metered: Value?
    @Option(name: name(.gpu), help: help(.gpu)) var gpu: Value?

    package init() {}

    /// The value of a condition's option; nil when it was not given.
    package subscript(condition: Condition) -> Value? {
        switch condition {
        case .externalPower: externalPower
        case .network: network
        case .idle: idle
        case .highLoad: highLoad
        case .lowMemory: lowMemory
        case .hot: hot
        case .batteryLow: batteryLow
        case .powerSaver: powerSaver
        case .metered: metered
        case .gpu: gpu
        }
    }

    private static func name(_ condition: Condition) -> NameSpecification { .customLong(condition.name) }

    private static func help(_ condition: Condition) -> ArgumentHelp {
        ArgumentHelp("\(condition.row.help)", valueName: Value.choices)
    }
}

/// The type of the values of the conditions' options: an enumeration of the permitted values, or `String`, whose values
/// are validated later.
package protocol ConditionWord: ExpressibleByArgument, Decodable, Sendable {
    /// The possible values, as shown in help.
    static var choices: String { get }
}

// Values stay text in the host's flags: the rules of the configuration file validate them.
extension String: ConditionWord {
    package static var choices: String { "true|false" }
}
