// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginBinary
import TaskModel

/// What a bound function came to: whether that is a success, and what the journal is told.
struct FunctionReturn: Sendable {
    /// More of one text is not for a journal.
    private static let longestText = 1024

    let isSuccess: Bool
    let text: String

    /// - Parameter error: what the function left in `errno`, told when it failed.
    init(_ handler: DirectHandler, _ result: UInt64, error: Int32, outputs: [CallArguments.Output]) {
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
        var parts = ["\(handler.symbol) returned" + (value.map { " \($0)" } ?? "")]
        if !isSuccess, error != 0 { parts[0] += ", \(String(systemError: error))" }
        parts += outputs.map(Self.text)
        text = parts.joined(separator: "; ")
    }

    private static func text(_ output: CallArguments.Output) -> String {
        switch output {
        case .number(let number): return "out-int64 \(number.pointee)"
        case .text(let start, let size):
            let bytes = UnsafeBufferPointer(start: start, count: size).prefix { $0 != 0 }
            let shown = String(decoding: bytes.prefix(longestText).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return "out-string \"\(shown)\(bytes.count > longestText ? "..." : "")\""
        }
    }
}
