// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import RunnerWire
import TaskModel

/// Result of a bound function: success or failure, and the text for the journal.
struct FunctionReturn: Sendable {
    let isSuccess: Bool
    let text: String

    /// Judges the result of a call by the success rule of the manifest.
    ///
    /// - Parameter error: value of `errno` after the call, included in the text when the function failed.
    init(_ handler: FunctionBinding, _ result: UInt64, error: Int32, outputs: [CallArguments.Output]) {
        let value: String?
        switch handler.result {
        case .void: (isSuccess, value) = (true, nil)
        case .int32(let rule):
            let number = Int32(truncatingIfNeeded: result)
            (isSuccess, value) = (rule.accepts(Int64(number)), "\(number)")
        case .int64(let rule):
            let number = Int64(bitPattern: result)
            (isSuccess, value) = (rule.accepts(number), "\(number)")
        case .pointer: (isSuccess, value) = (result != 0, result == 0 ? "null" : "a pointer")
        }
        var head = "\(handler.symbol) returned" + (value.map { " \($0)" } ?? "")
        // It is unknown whether the function set errno or a call long before it did.
        if !isSuccess, error != 0 { head += "; errno was \(error) (\(String(cString: strerror(error))))" }
        text = Self.text(head, outputs)
    }

    /// Appends the outputs to the head of the text. Numbers are never shortened; the strings share the remaining bytes.
    private static func text(_ head: String, _ outputs: [CallArguments.Output]) -> String {
        var texts = outputs.count { if case .text = $0 { true } else { false } }
        let bare = outputs.reduce(head.utf8.count) { $0 + part($1, room: 0).utf8.count }
        var room = max(0, RunnerMessage.longestCompletionMessage - bare)
        var all = head
        for output in outputs {
            guard case .text = output else {
                all += part(output, room: 0)
                continue
            }
            let shown = part(output, room: room / texts)
            room -= shown.utf8.count - part(output, room: 0).utf8.count
            texts -= 1
            all += shown
        }
        return all
    }

    /// The text of one output.
    ///
    /// - Parameter room: maximum size of a string in bytes, with its control characters escaped; 0 for an empty string.
    private static func part(_ output: CallArguments.Output, room: Int) -> String {
        switch output {
        case .number(let number): return "; out-int64 \(number.pointee)"
        case .text(let start, let size):
            let bytes = UnsafeBufferPointer(start: start, count: room == 0 ? 0 : size).prefix { $0 != 0 }
            let text = String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return
                "; out-string \"\(text.terminalSafe.utf8.count > room ? text.terminalSafe.bounded(toBytes: room) : text)\""
        }
    }
}
