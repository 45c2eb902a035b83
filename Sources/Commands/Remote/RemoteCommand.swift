// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// A command for the `bgtask` of other machines, over `ssh`.
struct RemoteCommand {
    /// Maximum number of machines that run the command at the same time.
    static let width = 32

    let hosts: [RemoteHost]
    /// The arguments of the remote `bgtask`.
    let command: [String]

    /// Runs the command. Returns the status of the command on one machine, or the highest status of several.
    func run() async throws -> Int32 {
        if hosts.count > 1, command.contains("-") {
            throw ValidationError("- reads standard input, which several machines cannot share; give one machine to -H")
        }
        do {
            return try await Interruptible.cancelling {
                if hosts.count == 1, let host = hosts.first { return try await run(on: host) }
                return try await runOnAll()
            }
        } catch let failure as CommandFailure {
            // Ctrl-C is the regular end of a command that follows events.
            if failure.status == .interrupted, followsOutput { return ExitStatus.done.rawValue }
            throw failure
        }
    }

    /// Runs the command on one machine with the standard streams of this process.
    private func run(on host: RemoteHost) async throws -> Int32 {
        let context = CommandContext.current
        let hasTerminal = context.hasTerminal()
        let call = SSHCall(command, on: host, environment: context.environment, hasTerminal: hasTerminal)
        let status = try await Self.run(call)
        if let failure = call.failure(of: status) { throw failure }
        return status
    }

    /// Runs the command on all machines at once, and prints their output with the name of the machine.
    private func runOnAll() async throws -> Int32 {
        let printer = RemotePrinter(hosts: hosts, isJSON: command.contains("--json"), followsOutput: followsOutput)
        return try await withThrowingTaskGroup(of: Int32.self) { group in
            var (waiting, worst) = (hosts.indices[...], Int32(0))
            for index in waiting.prefix(Self.width) { group.addTask { try await run(on: index, printer) } }
            waiting = waiting.dropFirst(Self.width)
            while let status = try await group.next() {
                worst = max(worst, status)
                if let index = waiting.popFirst() { group.addTask { try await run(on: index, printer) } }
            }
            return worst
        }
    }

    /// Runs the command on one of several machines. A machine that is not reached does not end the others.
    private func run(on index: Int, _ printer: RemotePrinter) async throws -> Int32 {
        let environment = CommandContext.current.environment
        let call = SSHCall(command, on: hosts[index], environment: environment, hasTerminal: false)
        let status = try await Self.run(call) { stream, bytes in printer.add(bytes, from: stream, of: index) }
        let failure = call.failure(of: status)
        let meaning = failure?.status.rawValue ?? status
        try printer.end(index, status: meaning, failure: failure)
        return meaning
    }

    /// Time in which a signal that has ended `ssh` also reaches this process: a terminal sends Ctrl-C to both.
    private static let signalDelay = Duration.milliseconds(200)

    private static func run(
        _ call: SSHCall,
        receive: (@Sendable (ForegroundProcess.Stream, [UInt8]) -> Void)? = nil
    ) async throws -> Int32 {
        let context = CommandContext.current
        let status = try await ForegroundProcess.run(call.words, environment: context.environment, receive: receive)
        // Without the delay, Ctrl-C would be reported as a lost connection.
        if status >= 128 { try await context.pause(signalDelay) }
        return status
    }

    /// Whether the command prints events as they happen, so that no machine waits for the end of another one.
    private var followsOutput: Bool {
        command.first == "watch" || ["--follow", "--watch", "--wait"].contains { command.contains($0) }
    }
}
