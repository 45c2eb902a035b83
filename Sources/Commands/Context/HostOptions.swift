// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient

/// The options that choose a host, shared by all commands that connect to one. Without an option, the environment
/// variable `BGTASK_SOCKET` chooses it.
struct HostOptions: ParsableArguments {
    static let socketVariable = "BGTASK_SOCKET"

    @Flag(help: "Use the system's host.")
    var system = false

    @Flag(help: "Use your own host.")
    var user = false

    @Option(help: ArgumentHelp("Use the host at this control socket.", valueName: "path"))
    var socket: String?

    func validate() throws {
        let given = [system, user, socket != nil].count { $0 }
        if given > 1 {
            throw ValidationError("--system, --user and --socket name different hosts; give one of them")
        }
        if socket?.isEmpty == true { throw ValidationError("--socket is empty; give the path of a control socket") }
    }

    /// Runs `body` with a connection to the chosen host. When no host answers, throws a failure that names a remedy.
    func connected<Result>(
        answerTimeout: Duration = .seconds(30),
        _ body: (ControlClient) async throws -> Result
    ) async throws -> Result {
        let choice = choice
        do {
            return try await ControlClient.withConnection(to: choice.socket, answerTimeout: answerTimeout, body)
        } catch let error as ControlError {
            guard case .unreachable(_, let cause) = error else { throw error }
            let facts = CommandContext.current.socketFacts
            let advice = UnreachableAdvice.text(for: cause, at: choice) { facts(choice.socket) }
            throw CommandFailure(.unreachable, error.description, remedy: advice)
        }
    }

    var choice: HostChoice {
        let context = CommandContext.current
        let user = HostPaths.user(environment: context.environment)
        return HostChoice(selection, user: user, isRoot: context.isRoot, fileExists: context.fileExists)
    }

    /// The options as words of a command line.
    var words: [String] {
        if let socket { return ["--socket", socket] }
        return system ? ["--system"] : user ? ["--user"] : []
    }

    private var selection: HostChoice.Selection {
        if let socket { return .socket(socket) }
        if system { return .system }
        if user { return .user }
        let socket = CommandContext.current.environment[Self.socketVariable] ?? ""
        return socket.isEmpty ? .whicheverIsThere : .variable(socket)
    }
}
