// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import HostMonitor

/// `bgtask watch`: shows the running and waiting work of a host live, until the user ends it.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show running tasks, waiting requests with their reasons, and new journal entries, live.",
        discussion: """
            The display is redrawn in every interval and for each journal entry. q or Ctrl-C ends the command. When \
            the host ends, the command keeps the last display and waits for the next host. If the output is not a \
            terminal, or TERM is dumb, the command prints a snapshot for each change. NO_COLOR disables colours.

            Examples:
              bgtask watch
              bgtask watch --interval 200ms
              bgtask watch --once
            """
    )

    @Option(
        help: ArgumentHelp(
            "Maximum time between two redraws, from 50ms to 1h (\(DurationText.units)).",
            valueName: "time"
        )
    )
    var interval = "1s"

    @Flag(help: "Print one snapshot and end.")
    var once = false

    @OptionGroup var host: HostOptions

    private static let intervals = Duration.milliseconds(50)...Duration.seconds(3600)
    /// Time after which a host that has not answered is reported as unreachable.
    private static let answerTimeout = Duration.seconds(5)

    func validate() throws { _ = try pause() }

    func run() async throws {
        let pause = try pause()
        let (choice, facts) = (host.choice, CommandContext.current.socketFacts)
        try await host.connected(answerTimeout: Self.answerTimeout) { client in
            let context = CommandContext.current.monitorContext
            let first = try await HostSnapshot.take(from: client, at: CommandContext.current.now())
            var display = WatchDisplay(context, isLive: !once)
            if once { return try display.show(.present(first)) }
            let session = WatchSession(client: client, interval: pause, context: context) { error in
                UnreachableAdvice.remedy(for: error, at: choice) { facts(choice.socket) }
            }
            try await session.run(from: first, on: &display)
        }
    }

    private func pause() throws -> Duration {
        guard let pause = DurationText.duration(interval[...]), Self.intervals.contains(pause) else {
            let remedy = DurationText.correction(of: interval[...]).map { "write \($0)" } ?? "write it like 200ms or 5s"
            throw ValidationError("--interval \"\(interval)\" is not a duration from 50ms to 1h; \(remedy)")
        }
        return pause
    }
}

extension CommandContext {
    fileprivate var monitorContext: MonitorContext {
        MonitorContext(
            environment: environment,
            reader: { reader },
            write: standardOutput,
            interruptions: interruptions,
            screen: screen
        )
    }
}
