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
        if HostNames.isAsked(by: arguments) {
            let names = await HostNames.fetch(for: arguments)
            return await HostNames.$current.withValue(names) { await parseAndRun(arguments) }
        }
        return await parseAndRun(arguments)
    }

    private static func parseAndRun(_ arguments: [String]) async -> ExitStatus {
        let printed = PrintedOutput()
        let report = ErrorReport(arguments, printed: printed)
        return await CommandContext.$current.withValue(printed.observing(.current)) {
            do {
                if let script = CompletedCommand.script(for: arguments) {
                    try CommandContext.current.standardOutput(script + "\n")
                    return .done
                }
                let invocation = try Invocation(arguments)
                if !invocation.hosts.isEmpty { return try await runRemotely(invocation, report) }
                return try await execute(command: invocation.command, report)
            } catch {
                return conclude(error, report)
            }
        }
    }

    /// Runs the command on other machines. Returns its status there.
    private static func runRemotely(_ invocation: Invocation, _ report: ErrorReport) async throws -> ExitStatus {
        if invocation.command.first == PageCommand.configuration.commandName {
            return try await showPage(of: invocation.hosts, command: invocation.command, report)
        }
        let status = try await RemoteCommand(hosts: invocation.hosts, command: invocation.command).run()
        return ExitStatus(rawValue: status) ?? .refused
    }

    /// Runs `bgtask page` on this machine, which has the browser, for the host of another one.
    private static func showPage(
        of hosts: [RemoteHost],
        command: [String],
        _ report: ErrorReport
    ) async throws -> ExitStatus {
        guard hosts.count == 1, let host = hosts.first else {
            throw CommandFailure(
                .misuse,
                "page shows one host, and -H has \(hosts.count) machines",
                remedy: "start bgtask -H HOST page for each machine"
            )
        }
        return try await PageCommand.$remote.withValue(RemotePage(host: host)) {
            try await execute(command: command, report)
        }
    }

    private static func execute(command arguments: [String], _ report: ErrorReport) async throws -> ExitStatus {
        do {
            var command = try parseAsRoot(arguments)
            let type = type(of: command)
            do {
                try await run(&command)
            } catch let error as ValidationError {
                return concludeMisuse(of: type, error, report)
            }
            return .done
        } catch {
            guard exitCode(for: error) == .validationFailure, let problem = CommandNames.problem(in: arguments) else {
                throw error
            }
            throw CommandFailure(.misuse, problem)
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
    /// print the usage of `bgtask`, because it has the command only while it parses.
    private static func concludeMisuse(
        of command: any ParsableCommand.Type,
        _ error: ValidationError,
        _ report: ErrorReport
    ) -> ExitStatus {
        let usage = usageString(for: command)
        let words = usage.split(separator: " ").prefix { !$0.hasPrefix("<") && !$0.hasPrefix("[") }
        CommandContext.current.writeLine(
            "Error: \(error.message)\nUsage: \(usage.replacing("\n", with: "\n       "))\n"
                + "  See '\(words.joined(separator: " ")) --help' for more information."
        )
        report.print(CommandFailure(.misuse, error.message))
        return .misuse
    }

    private static func conclude(_ error: any Error, _ report: ErrorReport) -> ExitStatus {
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
            for problem in failure.problems { context.writeMessage(problem) }
            if let remedy = failure.remedy { context.writeMessage(remedy) }
            report.print(failure)
            return failure.status
        case let error as InstallationError:
            if let report = error.report { try? context.write(error.shown(report.text(for: context.reader))) }
            let failure = CommandFailure(.refused, error.message, remedy: error.remedy)
            return conclude(failure, report)
        case let error as BackupError:
            let failure = CommandFailure(.refused, error.message, remedy: error.remedy)
            return conclude(failure, report)
        case let error as FunctionTrialError:
            let failure = CommandFailure(.refused, error.message, remedy: error.remedy)
            return conclude(failure, report)
        case let error as ControlError:
            if case .refused(_, let reply) = error { report.print(reply) }
            return conclude(CommandFailure(error), report)
        default:
            return concludeParsing(error, report)
        }
    }

    /// Reports an error of the argument parser, or any error that `conclude` has no case for, and returns its exit
    /// status. Requests for help and for the version arrive here as errors, too.
    private static func concludeParsing(_ error: any Error, _ report: ErrorReport) -> ExitStatus {
        let message = fullMessage(for: error)
        switch exitCode(for: error) {
        case .success:
            try? CommandContext.current.write(message + "\n")
            return .done
        case .validationFailure:
            CommandContext.current.writeLine(message)
            report.print(CommandFailure(.misuse, self.message(for: error)))
            return .misuse
        default:
            CommandContext.current.writeMessage(message)
            report.print(CommandFailure(.refused, message))
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
            let remedy = reply.error.remedy.map { "remedy: \($0)" }
            self.init(.refused, error.description, problems: reply.error.problems ?? [], remedy: remedy)
        }
    }
}
