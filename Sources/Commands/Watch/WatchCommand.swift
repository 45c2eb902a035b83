// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI

/// Shows what a host does while it does it.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show live what runs, what waits and why, and what happened last.",
        discussion: """
            It looks once in every interval, and whenever something is journaled. q or Ctrl-C ends it. When the host goes, it says so and waits until it is back.
            Where the output is no terminal, or TERM is dumb, it prints a snapshot for each
            change; NO_COLOR leaves the colours out.

            Examples:
              bgtask watch
              bgtask watch --interval 200ms
              bgtask watch --once
            """
    )

    @Option(
        help: ArgumentHelp("How often it looks even if nothing happens (\(DurationText.units)).", valueName: "time")
    )
    var interval = "1s"

    @Flag(help: "Print one snapshot and end.")
    var once = false

    @OptionGroup var host: HostOptions

    private static let intervals = Duration.milliseconds(50)...Duration.seconds(3600)
    /// A host that takes longer is one to tell the person about.
    private static let answerTimeout = Duration.seconds(5)

    func validate() throws { _ = try pause() }

    func run() async throws {
        let pause = try pause()
        let startHint = host.choice.startHint
        try await host.connected(answerTimeout: Self.answerTimeout) { client in
            let surroundings = Surroundings.current
            let first = try await HostSnapshot.take(from: client, at: surroundings.now())
            var display = WatchDisplay(surroundings, isLive: !once)
            if once { return try display.show(.present(first)) }
            try await WatchSession(client: client, interval: pause, startHint: startHint).run(from: first, on: &display)
        }
    }

    private func pause() throws -> Duration {
        guard let pause = DurationText.duration(interval[...]), Self.intervals.contains(pause) else {
            throw ValidationError("--interval \"\(interval)\" is not from 50ms to 1h, such as 200ms or 5s")
        }
        return pause
    }
}
