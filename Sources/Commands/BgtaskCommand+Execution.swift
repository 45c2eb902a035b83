// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import FunctionTrial
import HostBackup
import PluginInstaller

extension BgtaskCommand {
    /// Parses the arguments and runs the command that they name. Errors are reported to the user and determine the exit
    /// status; none is thrown.
    package static func execute(_ arguments: [String]) async -> ExitStatus {
        let invocation: Invocation
        do {
            invocation = try Invocation(arguments)
            if !invocation.hosts.isEmpty { return try await runRemotely(invocation) }
        } catch {
            return conclude(error, asksForJSON: arguments.contains("--json"))
        }
        return await execute(command: invocation.command)
    }

    /// Runs the command on other machines. Returns its status there.
    private static func runRemotely(_ invocation: Invocation) async throws -> ExitStatus {
        let status = try await RemoteCommand(hosts: invocation.hosts, command: invocation.command).run()
        return ExitStatus(rawValue: status) ?? .refused
    }

    private static func execute(command arguments: [String]) async -> ExitStatus {
        do {
            var command = try parseAsRoot(arguments)
            let type = type(of: command)
            do {
                try await run(&command)
            } catch let error as ValidationError {
                return concludeMisuse(of: type, error)
            }
            return .done
        } catch {
            if exitCode(for: error) == .validationFailure, let problem = CommandNames.problem(in: arguments) {
                return conclude(CommandFailure(.misuse, problem), asksForJSON: false)
            }
            return conclude(error, asksForJSON: arguments.contains("--json"))
        }
    }

    private static func run(_ command: inout any ParsableCommand) async throws {
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }

    /// Reports a misuse that a command finds while it runs, and returns its exit status. The argument parser would
    /// print the usage of `bgtask`, because it knows the command only while it parses.
    private static func concludeMisuse(of command: any ParsableCommand.Type, _ error: ValidationError) -> ExitStatus {
        let usage = usageString(for: command)
        let words = usage.split(separator: " ").prefix { !$0.hasPrefix("<") && !$0.hasPrefix("[") }
        CommandContext.current.writeLine(
            "Error: \(error.message)\nUsage: \(usage.replacing("\n", with: "\n       "))\n"
                + "  See '\(words.joined(separator: " ")) --help' for more information."
        )
        return .misuse
    }

    private static func conclude(_ error: any Error, asksForJSON: Bool) -> ExitStatus {
        let context = CommandContext.current
        switch error {
        case is OutputClosed:
            // The reader of the pipe has closed it, as `| head` does: this is not a failure.
            return .done
        case let nothing as NothingFound:
            context.writeMessage(nothing.message)
            return .refused
        case let failure as CommandFailure:
            context.writeMessage(failure.message)
            if let remedy = failure.remedy { context.writeMessage(remedy) }
            return failure.status
        case let error as InstallationError:
            if let report = error.report { try? context.write(error.shown(report.text(for: context.reader))) }
            let failure = CommandFailure(.refused, error.message, remedy: error.remedy)
            return conclude(failure, asksForJSON: asksForJSON)
        case let error as BackupError:
            let failure = CommandFailure(.refused, error.message, remedy: error.remedy)
            return conclude(failure, asksForJSON: asksForJSON)
        case let error as FunctionTrialError:
            let failure = CommandFailure(.refused, error.message, remedy: error.remedy)
            return conclude(failure, asksForJSON: asksForJSON)
        case let error as ControlError:
            if asksForJSON, case .refused(_, let reply) = error, let body = try? WireCoding.encodeReadably(reply) {
                try? context.write(String(decoding: body, as: UTF8.self) + "\n")
            }
            return conclude(CommandFailure(error), asksForJSON: asksForJSON)
        default:
            return concludeParsing(error)
        }
    }

    /// Reports an error of the argument parser, or any error that `conclude` has no case for, and returns its exit
    /// status. Requests for help and for the version arrive here as errors, too.
    private static func concludeParsing(_ error: any Error) -> ExitStatus {
        let message = fullMessage(for: error)
        switch exitCode(for: error) {
        case .success:
            try? CommandContext.current.write(message + "\n")
            return .done
        case .validationFailure:
            CommandContext.current.writeLine(message)
            return .misuse
        default:
            CommandContext.current.writeMessage(message)
            return .refused
        }
    }
}

extension CommandFailure {
    /// Creates the failure of a call to the host: exit status, message and remedy.
    init(_ error: ControlError) {
        switch error {
        case .unreachable, .misunderstood: self.init(.unreachable, error.description)
        case .streamEnded(let stream, let socket, _):
            let remedy =
                "follow the \(stream.rawValue) again; if that fails, check the host with:"
                + " bgtask host status --socket \(socket)"
            self.init(.unreachable, error.description, remedy: remedy)
        case .refused(_, let reply):
            self.init(.refused, error.description, remedy: reply.error.remedy.map { "remedy: \($0)" })
        }
    }
}
