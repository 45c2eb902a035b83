// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import FoundationEssentials
import TaskModel

/// `bgtask push send`: sends a background push or an alert push to a main plugin.
struct PushSendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a background push, or an alert, to a plugin.",
        discussion: """
            The push is on disk when the command returns. The host launches the plugin when the machine permits it, at \
            most once in 20 minutes by default. One push waits for each plugin: a newer one replaces it. The manifest \
            of the plugin has to list the background mode remote-notification.

            With --alert the push is a notification, which the host shows at once. With --mutable, a notification \
            service extension of the plugin may change it within 30 seconds.

            Examples:
              bgtask push send com.example.feed --payload news.json
              bgtask push send com.example.feed --expires-at +1h --priority low
              bgtask push send com.example.feed --only-now
              bgtask push send com.example.feed --id "$(uuidgen)" --payload news.json
              bgtask push send com.example.feed --alert "New photos" --body "3 albums" --mutable
            """
    )

    @Argument(help: "The plugin's identifier.", completion: .plugins, transform: IdentifierArgument.plugin)
    var identifier: PluginIdentifier

    @Option(help: PayloadFile.help("plugin"))
    var payload: String?

    // Unconditional, so that a value that begins with a dash is reported as an invalid time and not as an option.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Drop the push if it is not delivered before this time.", valueName: "when")
    )
    var expiresAt: String?

    @Option(
        help: "low lets the push wait for external power; the default is normal.",
        completion: .words(PushPriority.allCases, \.rawValue),
        transform: { try WordArgument.value($0, among: PushPriority.allCases, \.rawValue) }
    )
    var priority: PushPriority = .normal

    @Flag(help: "Deliver the push at once, or drop it when a reason delays it. The waiting push then stays.")
    var onlyNow = false

    @Option(
        help: ArgumentHelp(
            "The identifier of the push. A repetition within ten minutes with the same content is no new push.",
            valueName: "uuid"
        ),
        transform: UUIDArgument.value
    )
    var id: UUID?
    @Option(help: ArgumentHelp("Show a notification with this title.", valueName: "title"))
    var alert: String?

    @Option(help: ArgumentHelp("The text of the notification.", valueName: "text"))
    var body: String?

    @Option(
        help: ArgumentHelp(
            "Keep the order of the notifications with this topic; the newest replaces the others on a desktop.",
            valueName: "topic"
        )
    )
    var topic: String?

    @Flag(help: "Let the plugin's notification service extension change the notification.")
    var mutable = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        _ = try deadline()
        if alert == nil, body != nil || topic != nil || mutable {
            throw ValidationError("--body, --topic and --mutable need a notification; add --alert TITLE")
        }
        if alert != nil, expiresAt != nil || priority != .normal || onlyNow {
            throw ValidationError(
                "--expires-at, --priority and --only-now are for background pushes; leave them out with --alert"
            )
        }
        if let topic, NotificationTopic(topic) == nil {
            throw ValidationError(
                "--topic \(topic.inQuotes) has not 1 to \(NotificationTopic.mostBytes) bytes without control characters"
            )
        }
    }

    func run() async throws {
        let bytes = try payload.map(PayloadFile.bytes) ?? []
        let push = try push(bytes)
        try output.show(try await host.connected { try await $0.push(to: identifier, push) })
    }

    private func push(_ bytes: [UInt8]) throws -> PluginPush {
        guard let alert else {
            return PluginPush(
                payload: bytes,
                expiresAt: try deadline(),
                priority: priority,
                onlyNow: onlyNow,
                id: id
            )
        }
        return PluginPush(
            alert: NotificationContent(title: alert, body: body),
            topic: topic.flatMap(NotificationTopic.init),
            isMutable: mutable,
            payload: bytes,
            id: id
        )
    }

    private func deadline() throws -> WallTime? { try expiresAt.map { try TimeArgument.future($0) } }
}
