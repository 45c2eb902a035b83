// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import TaskModel
import TerminalText

/// Waits for the end of a submission, and prints the output of its task and the outcomes of its attempts.
struct TaskWaiter {
    let task: TaskIdentifier
    let submission: Int64
    /// Number of the last journal entry before the submission.
    let start: Int64
    /// The time before the submission, from which log lines are printed.
    let began: WallTime
    /// Whether to print journal entries and log lines as JSON, one per line.
    let json: Bool

    private enum Event: Sendable {
        case end(JournalLine)
        case timeout
        case noMoreLines
    }

    /// The end of the waiting.
    ///
    /// - Parameter limit: maximum time of the waiting; nil for no limit.
    func end(with client: ControlClient, within limit: Duration?) async throws -> RunEnd {
        let progress = LogProgress(json: json)
        let event = try await withThrowingTaskGroup(of: Event.self) { group in
            group.addTask { try await followJournal(with: client) }
            group.addTask {
                try await followLog(with: client, progress)
                return .noMoreLines
            }
            if let limit {
                group.addTask {
                    try await CommandContext.current.pause(limit)
                    return .timeout
                }
            }
            defer { group.cancelAll() }
            while let event = try await group.next() {
                if case .noMoreLines = event { continue }
                return event
            }
            throw CancellationError()
        }
        guard case .end(let line) = event else {
            return RunEnd(task: task, submission: submission, line: nil, limit: limit)
        }
        if let launch = line.launch { try await showRest(of: launch, with: client, progress) }
        try show(line)
        return RunEnd(task: task, submission: submission, line: line, limit: nil)
    }

    private func followJournal(with client: ControlClient) async throws -> Event {
        let filter = JournalFilter(label: task.text)
        for try await line in try await client.followJournal(after: start, filter: filter)
        where line.submission == submission {
            if RunEnd.isEnd(line.event) { return .end(line) }
            if TaskOutcome(rawValue: line.event) != nil { try show(line) }
        }
        throw ControlError.streamEnded(.journal, socket: client.socket, isInOrder: true)
    }

    /// Prints new log lines of the task until the host ends the stream. A caller without the role operate gets none.
    private func followLog(with client: ControlClient, _ progress: LogProgress) async throws {
        let query = LogQuery(limit: 1, identifier: task, since: began)
        do {
            for try await line in try await client.followLogs(query) { try progress.show(line) }
        } catch let error as ControlError {
            // Only a refusal is reported: the stream of the journal reports a lost connection.
            guard case .refused = error else { return }
            progress.setUnreadable()
            CommandContext.current.writeMessage("the log of the task is not printed: \(error.description)")
        }
    }

    /// Prints the log lines of the last launch that the stream had not delivered when the task ended.
    private func showRest(of launch: Int64, with client: ControlClient, _ progress: LogProgress) async throws {
        if !progress.isReadable { return }
        let number = LaunchNumber(rawValue: launch)
        let query = LogQuery(limit: PageLimit.range.upperBound, launch: number, identifier: task, since: began)
        guard let page = try? await client.logs(query, limit: PageLimit.range.upperBound) else { return }
        for line in page.lines { try progress.show(line) }
    }

    private func show(_ line: JournalLine) throws {
        let context = CommandContext.current
        if json { return try context.write(String(decoding: WireCoding.encode(line), as: UTF8.self) + "\n") }
        let launch = line.launch.map { " in launch \($0)" } ?? ""
        let message = line.message.isEmpty ? "" : ": \(line.message)"
        try context.write("\(task): \(line.event)\(launch)\(message)".terminalSafe + "\n")
    }
}
