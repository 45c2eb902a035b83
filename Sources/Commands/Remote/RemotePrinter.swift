// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import FoundationEssentials
import Synchronization
import TerminalText

/// Prints the output of several machines, with the name of the machine before each line.
///
/// The whole output of a machine follows that of the machines before it. If the command follows events, lines of all
/// machines are printed as they arrive. With JSON, each machine prints one line with its answer, or one per event.
final class RemotePrinter: Sendable {
    private struct Output {
        /// Bytes that are not printed yet: all of them, or those of the last line without an end.
        var bytes: [ForegroundProcess.Stream: [UInt8]] = [:]
        /// The exit status and the failure of the connection, when the command has ended.
        var end: (status: Int32, failure: CommandFailure?)?
    }

    private struct State {
        var outputs: [Output]
        /// The number of the machines whose whole output is printed, from the first on.
        var printed = 0
        /// The error of standard output, after which nothing is printed.
        var failure: (any Error)?
    }

    private let names: [String]
    private let isJSON: Bool
    private let followsOutput: Bool
    private let context = CommandContext.current
    private let state: Mutex<State>

    init(hosts: [RemoteHost], isJSON: Bool, followsOutput: Bool) {
        let width = hosts.map(\.name.displayWidth).max() ?? 0
        names = hosts.map { isJSON ? $0.name : $0.name.padded(to: width + 2) }
        self.isJSON = isJSON
        self.followsOutput = followsOutput
        state = Mutex(State(outputs: hosts.map { _ in Output() }))
    }

    /// Takes bytes that a machine has written.
    func add(_ bytes: [UInt8], from stream: ForegroundProcess.Stream, of index: Int) {
        state.withLock { state in
            state.outputs[index].bytes[stream, default: []] += bytes
            if !followsOutput { return }
            let all = state.outputs[index].bytes[stream] ?? []
            guard let end = all.lastIndex(of: UInt8(ascii: "\n")) else { return }
            state.outputs[index].bytes[stream] = Array(all[(end + 1)...])
            print(all[...end], from: stream, of: index, &state)
        }
    }

    /// Records the end of the command of a machine. Throws the error of standard output, if there was one.
    func end(_ index: Int, status: Int32, failure: CommandFailure?) throws {
        try state.withLock { state in
            state.outputs[index].end = (status, failure)
            if followsOutput { conclude(index, &state) }
            while !followsOutput, state.printed < names.count, state.outputs[state.printed].end != nil {
                conclude(state.printed, &state)
                state.printed += 1
            }
            if let failure = state.failure { throw failure }
        }
    }

    /// Prints the rest of a machine's output, and the failure of its connection.
    private func conclude(_ index: Int, _ state: inout State) {
        let output = state.outputs[index]
        state.outputs[index].bytes = [:]
        print((output.bytes[.error] ?? [])[...], from: .error, of: index, &state)
        if isJSON, !followsOutput {
            let answer = RemoteAnswer(output.bytes[.output] ?? [], of: names[index], status: output.end?.status ?? 0)
            write(answer.line, &state)
        } else {
            print((output.bytes[.output] ?? [])[...], from: .output, of: index, &state)
        }
        guard let failure = output.end?.failure else { return }
        context.writeMessage(failure.message)
        if let remedy = failure.remedy { context.writeMessage(remedy) }
    }

    private func print(
        _ bytes: ArraySlice<UInt8>,
        from stream: ForegroundProcess.Stream,
        of index: Int,
        _ state: inout State
    ) {
        if bytes.isEmpty { return }
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        for line in lines {
            // ssh ends some of its messages with a carriage return.
            let text = String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
            if stream == .error {
                context.writeLine(names[index] + (isJSON ? ": " : "") + text)
            } else if isJSON {
                write(RemoteAnswer(Array(line), of: names[index], status: nil).line, &state)
            } else {
                write((names[index] + text).trimmingEnd + "\n", &state)
            }
        }
    }

    private func write(_ text: String, _ state: inout State) {
        if state.failure != nil { return }
        do { try context.write(text) } catch { state.failure = error }
    }
}

extension String {
    /// The string without spaces at its end.
    fileprivate var trimmingEnd: String {
        String(self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)])
    }
}
