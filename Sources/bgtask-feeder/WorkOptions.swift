// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import Fleet
import FleetDatabase
import FoundationEssentials
import TaskModel

/// The subject of work that a command submits.
struct WorkSubject: ParsableArguments {
    static let targetHelp = ArgumentHelp(
        "host:NAME, any:GROUP or each:GROUP; the group all has every host.",
        valueName: "target"
    )
    static let pluginHelp = ArgumentHelp("The identifier of the plugin.", valueName: "identifier")

    @Option(help: WorkSubject.targetHelp, transform: FleetTarget.parsed)
    var target: FleetTarget

    @Option(help: WorkSubject.pluginHelp)
    var plugin: String
}

/// The terms of work that a command submits or schedules.
struct WorkTerms: ParsableArguments {
    @Option(help: ArgumentHelp("The kind of the request.", valueName: "kind"))
    var kind = "processing"

    @Flag(help: "The task needs the network.")
    var requiresNetwork = false

    @Flag(help: "The task needs external power.")
    var requiresExternalPower = false

    @Option(help: ArgumentHelp("A file whose bytes the task receives.", valueName: "file"), completion: .file())
    var payload: String?

    @Option(help: ArgumentHelp("The time over which the hosts of each:GROUP begin.", valueName: "duration"))
    var spread: String?

    /// The work with a task identifier. Throws for a payload that cannot be read and for an invalid duration.
    func work(_ identifier: String, of plugin: String, for target: FleetTarget) throws -> FleetSubmission {
        var work = FleetSubmission(
            target: target.description,
            plugin: plugin,
            identifier: identifier,
            kind: kind
        )
        if requiresNetwork { work.request["requires_network"] = .bool(true) }
        if requiresExternalPower { work.request["requires_external_power"] = .bool(true) }
        if let payload {
            guard let data = try? Data(contentsOf: URL(filePath: payload)) else {
                throw ValidationError("the payload \(payload) cannot be read; name a readable file")
            }
            work.payload = Array(data)
        }
        if let spread { work.campaign.spreadSeconds = try Self.seconds(spread, of: "--spread") }
        return work
    }

    static func seconds(_ text: String, of option: String) throws -> Double {
        guard let duration = DurationText.duration(text[...]) else {
            throw ValidationError("\(option) is \"\(text)\"; write a duration such as 30min (\(DurationText.units))")
        }
        return Double(duration.wholeNanoseconds) / 1e9
    }
}
