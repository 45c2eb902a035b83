// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import LinuxSystem
import MessageBus
import TaskModel

/// `bgtask notification follow`: reports lasting failures to a command or a webhook, until it is ended.
struct NotificationFollowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "follow",
        abstract: "Report lasting failures, and notifications, to a command, a webhook or the desktop.",
        discussion: """
            Follows the journal, also over restarts of the host, until Ctrl-C. Without --exec and --webhook it prints \
            each message. A message is one JSON object about a plugin: the first alert at once, the later ones of an \
            interval together. --exec runs /bin/sh -c COMMAND with the object as standard input, and BGTASK_ALERT, \
            BGTASK_PLUGIN, BGTASK_TASK, BGTASK_EVENT, BGTASK_LAUNCH, BGTASK_BLAME, BGTASK_MESSAGE, BGTASK_REMEDY and \
            BGTASK_COUNT in its environment; exit status 0 means delivered. --webhook posts the object. A failed \
            delivery is repeated. The log lines of the launch need the role operate. --desktop shows each \
            notification of bgtask notification list on the desktop of the user, one by one.

            Alerts:
            \(AlertKind.allCases.map { "  \($0.rawValue): \($0.row.meaning)" }.joined(separator: "\n"))

            Examples:
              bgtask notification follow --outcome abandoned --outcome refused
              bgtask notification follow --exec 'mail -s "$BGTASK_PLUGIN" root' --state alerts.json
              bgtask notification follow --desktop --state ~/.local/state/bgtask-notify.json
              bgtask notification follow --webhook https://chat.example.com/hook --interval 1h
            """
    )

    @Option(
        help: ArgumentHelp("Only alerts of this plugin; may be repeated.", valueName: "identifier"),
        completion: .plugins,
        transform: IdentifierArgument.plugin
    )
    var plugin: [PluginIdentifier] = []

    @Option(
        help: ArgumentHelp(
            "Only this alert; may be repeated: \(AlertKind.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "alert"
        ),
        completion: .words(AlertKind.allCases, \.rawValue),
        transform: { try WordArgument.value($0, among: AlertKind.allCases, \.rawValue) }
    )
    var outcome: [AlertKind] = []

    @Option(help: ArgumentHelp("Run this command for each message.", valueName: "command"))
    var exec: String?

    @Flag(help: "Show each notification on the desktop of this user.")
    var desktop = false

    @Option(help: ArgumentHelp("Post each message to this http or https URL.", valueName: "url"))
    var webhook: String?

    @Option(
        help: ArgumentHelp(
            "Minimum time between two messages about a plugin, up to 7d (\(DurationText.units)).",
            valueName: "time"
        )
    )
    var interval = "15min"

    @Option(help: ArgumentHelp("File with the progress, from which a later call continues.", valueName: "file"))
    var state: String?

    @Option(
        help: ArgumentHelp("Maximum time of one delivery, from 1s to 10min.", valueName: "time")
    )
    var timeout = "30s"

    @OptionGroup var host: HostOptions

    /// Maximum number of log lines in a message.
    private static let logLines = 20

    func validate() throws {
        if desktop, exec != nil || webhook != nil {
            throw ValidationError("--desktop excludes --exec and --webhook; run one command for each of them")
        }
        if exec != nil, webhook != nil {
            throw ValidationError("--exec and --webhook exclude each other; run one command for each of them")
        }
        if exec?.isEmpty == true { throw ValidationError("--exec is empty; give a command of the shell") }
        if let webhook, !Webhook.accepts(webhook) {
            throw ValidationError("--webhook \(webhook) is not an http or https URL; write https://HOST/PATH")
        }
        if state?.isEmpty == true { throw ValidationError("--state is empty; give the path of a file") }
        _ = try duration(interval, "--interval", in: .seconds(1) ... .seconds(7 * 86_400), "1s to 7d")
        _ = try duration(timeout, "--timeout", in: .seconds(1) ... .seconds(600), "1s to 10min")
    }

    func run() async throws {
        if desktop { return try await showOnDesktop() }
        let rules = AlertProgress.Rules(
            selection: AlertSelection(plugins: Set(plugin), kinds: Set(outcome)),
            interval: try duration(interval, "--interval", in: .seconds(1) ... .seconds(7 * 86_400), "1s to 7d"),
            host: host.choice.socket
        )
        let limit = try duration(timeout, "--timeout", in: .seconds(1) ... .seconds(600), "1s to 10min")
        let file = AlertStateFile(path: state.map(FilePlace.absolute))
        if let webhook {
            try await Webhook.with(webhook, timeout: limit) { try await follow(rules, file, .webhook($0)) }
        } else if let exec {
            let environment = CommandContext.current.environment
            let program = AlertProgram(command: exec, environment: environment, timeout: limit)
            try await follow(rules, file, .command(program))
        } else {
            try await follow(rules, file, .output)
        }
    }

    private func showOnDesktop() async throws {
        guard let address = BusAddress.session(environment: CommandContext.current.environment) else {
            throw CommandFailure(
                .refused,
                "neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR names the bus of a session",
                remedy: "run the command in the session of the user, or as its unit bgtask-notify"
            )
        }
        let follower = try DesktopFollower(
            FeedSelection(plugins: Set(plugin), kinds: Set(outcome)),
            host: host.choice.socket,
            notifier: DesktopNotifier(address),
            path: state.map(FilePlace.absolute)
        )
        try await ControlClient.withConnection(to: host.choice.socket) { client in
            try await Interruptible.run { try await follower.follow(client) }
        }
    }

    private func follow(_ rules: AlertProgress.Rules, _ file: AlertStateFile, _ target: AlertTarget) async throws {
        let (wakeUps, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let follower = try AlertFollower(rules, file, wakeUps: continuation)
        try await ControlClient.withConnection(to: rules.host) { client in
            try await Interruptible.run {
                try await withThrowingTaskGroup { group in
                    group.addTask { try await follower.followJournal(of: client) }
                    group.addTask { try await follower.followState(of: client) }
                    if rules.selection.kinds.contains(.notification) {
                        group.addTask { try await follower.followNotifications(of: client) }
                    }
                    group.addTask { try await Self.deliver(from: follower, to: target, client, wakeUps, continuation) }
                    defer { group.cancelAll() }
                    try await group.next()
                }
            }
        }
    }

    /// Delivers messages until the calling task is cancelled. Throws when the state file cannot be written.
    private static func deliver(
        from follower: AlertFollower,
        to target: AlertTarget,
        _ client: ControlClient,
        _ wakeUps: AsyncStream<Void>,
        _ continuation: AsyncStream<Void>.Continuation
    ) async throws {
        var arrivals = wakeUps.makeAsyncIterator()
        while true {
            while var message = await follower.due() {
                let queued = message
                message.logs = await logs(of: message, client)
                let outcome = await target.deliver(message)
                try Task.checkCancellation()
                await follower.settle(queued, outcome)
            }
            try await follower.check()
            let pause = await follower.pause()
            let timer = Task {
                guard let pause else { return }
                try await CommandContext.current.pause(pause)
                continuation.yield()
            }
            defer { timer.cancel() }
            guard await arrivals.next() != nil else { throw CancellationError() }
        }
    }

    /// The newest lines of the log of the launch; nil when the caller may not read them.
    private static func logs(of message: AlertMessage, _ client: ControlClient) async -> [String]? {
        guard let launch = message.newest.launch else { return nil }
        let query = LogQuery(limit: logLines, launch: LaunchNumber(rawValue: launch))
        return try? await client.logPage(query).lines.map(\.text)
    }

    private func duration(
        _ text: String,
        _ option: String,
        in range: ClosedRange<Duration>,
        _ rule: String
    ) throws -> Duration {
        if let duration = DurationText.duration(text[...]), range.contains(duration) { return duration }
        let remedy = DurationText.correction(of: text[...]).map { "write \($0)" } ?? "write it like 15min"
        throw ValidationError("\(option) \"\(text)\" is not a duration from \(rule); \(remedy)")
    }
}
