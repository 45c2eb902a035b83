// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient

// `--from`: the requests of a file.
extension TaskSubmitCommand {
    /// Throws for an option that describes a single request: the lines of the file have these fields.
    func validateFile() throws {
        let options: [(name: String, isGiven: Bool)] = [
            ("<identifier>", identifier != nil), ("--kind", kind != nil), ("--not-before", notBefore != nil),
            ("--needs-network", needsNetwork), ("--needs-external-power", needsExternalPower),
            ("--protection", protection != nil), ("--title", title != nil), ("--subtitle", subtitle != nil),
            ("--strategy", strategy != nil), ("--needs-gpu", needsGPU), ("--payload", payload != nil),
            ("--restart", restart), ("--dry-run", dryRun),
        ]
        guard let option = options.first(where: \.isGiven)?.name else { return }
        throw ValidationError(
            "\(option) describes one request, and every line of \(RequestFile.option) has the fields of its own;"
                + " leave \(option) out"
        )
    }

    /// Maximum number of consecutive repetitions of a call while the host is busy.
    private static let mostRetries = 60

    /// Submits the requests of a file, and prints one line for each. Throws after the last one if any was refused.
    func submitFile(_ name: String) async throws {
        let file = try RequestFile(reading: name)
        if file.count == 0 { return }
        let refused = try await host.connected { client in
            var (refused, answered) = (0, 0)
            for batch in file.batches {
                do {
                    refused += try await submit(batch, with: client)
                } catch {
                    if refused > 0 { CommandContext.current.writeMessage(Self.summary(refused, of: answered)) }
                    throw error
                }
                answered += batch.numbers.count
            }
            return refused
        }
        if refused > 0 { throw CommandFailure(.refused, Self.summary(refused, of: file.count)) }
    }

    private static func summary(_ refused: Int, of count: Int) -> String { "requests refused: \(refused) of \(count)" }

    /// Submits the requests of a batch, and prints their results.
    ///
    /// - Returns: the number of refused requests.
    private func submit(_ batch: RequestFile.Batch, with client: ControlClient) async throws -> Int {
        let results: [TaskBatchResult]
        do {
            results = try await answer(to: batch.text, from: client).results
            if results.count != batch.numbers.count {
                let detail = "\(results.count) results for \(batch.numbers.count) requests"
                throw ControlError.misunderstood(socket: client.socket, detail: detail)
            }
        } catch let error as ControlError {
            CommandContext.current.writeMessage(Self.remainder(from: batch.numbers, after: error))
            // Without this conversion --json would print the error on several lines.
            if case .refused = error { throw CommandFailure(error) }
            throw error
        }
        let context = CommandContext.current
        for (result, number) in zip(results, batch.numbers) {
            let line =
                output.json
                ? String(decoding: try WireCoding.encode(result), as: UTF8.self) + "\n"
                : result.text(line: number, for: context.reader)
            try context.write(line)
        }
        return results.count { if case .refused = $0 { true } else { false } }
    }

    /// The answer to a batch. A call that the host refuses because it is busy, which submits nothing, is repeated.
    private func answer(to batch: TaskBatchText, from client: ControlClient) async throws -> TaskBatchReply {
        for _ in 0..<Self.mostRetries {
            do throws(ControlError) {
                return try await client.submit(batch)
            } catch {
                guard case .refused(_, let reply) = error, reply.error.code == RouteError.Code.busy.rawValue else {
                    throw error
                }
            }
            try await CommandContext.current.pause(RouteError.retryDelay)
        }
        return try await client.submit(batch)
    }

    /// The state of the lines without a result, when a call has failed.
    ///
    /// - Parameter lines: the numbers of the lines that the call contained.
    private static func remainder(from lines: [Int], after error: ControlError) -> String {
        let (first, last) = (lines.first ?? 1, lines.last ?? 1)
        switch error {
        case .refused, .unreachable(_, .noSocket), .unreachable(_, .noListener), .unreachable(_, .notAllowed),
            .unreachable(_, .pathTooLong):
            return "the requests from line \(first) on are not submitted"
        case .unreachable, .misunderstood, .streamEnded:
            return "the requests of lines \(first) to \(last) have no answer, so they may have been submitted;"
                + " later lines were not submitted; compare with: bgtask task list"
        }
    }
}
