// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import Fleet
import FleetDatabase

/// `bgtask-feeder submit`: work for one host, for any host of a group, or for each of them.
struct SubmitWork: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit",
        abstract: "Submit work to the fleet.",
        discussion: """
            Pending work with the same plugin, identifier and target is replaced. Times count from the clock of the \
            database.

            Examples:
              bgtask-feeder submit com.example.p.clean --plugin com.example.p --target any:web
              bgtask-feeder submit com.example.p.scan --plugin com.example.p --target each:all --spread 2h
            """
    )

    @Argument(help: "The task identifier.")
    var identifier: String

    @OptionGroup var subject: WorkSubject
    @OptionGroup var terms: WorkTerms

    @Option(help: ArgumentHelp("The work does not begin earlier.", valueName: "duration"))
    var delay: String?

    @Option(help: ArgumentHelp("The work lapses unless it has begun.", valueName: "duration"))
    var expiresAfter: String?

    @Option(help: ArgumentHelp("Percentage of failed hosts that stops the work of each:GROUP.", valueName: "percent"))
    var abortPercent: Int?

    @Flag(help: "Hosts that are enrolled later run the work of each:GROUP too.")
    var continuous = false

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        var work = try terms.work(identifier, of: subject.plugin, for: subject.target)
        if let delay { work.delaySeconds = try WorkTerms.seconds(delay, of: "--delay") }
        if let expiresAfter { work.deadlineSeconds = try WorkTerms.seconds(expiresAfter, of: "--expires-after") }
        work.campaign.abortPercent = abortPercent
        work.campaign.isContinuous = continuous
        let receipt = try await database.connection.submit(work)
        let number = receipt.item.map { "item \($0)" } ?? receipt.campaign.map { "campaign \($0)" } ?? "work"
        print("submitted \(number)" + (receipt.replaced.map { ", which replaces \($0)" } ?? ""))
    }
}

/// `bgtask-feeder cancel`: ends work that has not begun. Hosts cancel claimed work at their next renewal.
struct CancelWork: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "cancel", abstract: "Cancel work of the fleet.")

    @Argument(help: "The task identifier.")
    var identifier: String

    @Option(help: ArgumentHelp("The identifier of the plugin.", valueName: "identifier"))
    var plugin: String

    @Option(
        help: ArgumentHelp("The target with which the work was submitted.", valueName: "target"),
        transform: FleetTarget.parsed
    )
    var target: FleetTarget

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        let receipt = try await database.connection.cancel(
            target: target.description,
            plugin: plugin,
            identifier: identifier
        )
        for campaign in receipt.campaigns { print("campaign \(campaign) stopped") }
        print("\(receipt.cancelled) pending items cancelled, \(receipt.requested) claimed items end at their hosts")
    }
}
