// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginLaunch
import RunnerWire
import TaskModel

// Calls of a plugin that a host answers.
extension PlayedHost {
    /// Waits for the launch's call with that number, counted from 1; nil if the launch ended before the call.
    func call(_ number: UInt64) async -> RunnerMessage? {
        await events.first { event -> RunnerMessage?? in
            switch event {
            case .message(Self.launch, let message) where message.call?.rawValue == number: .some(message)
            case .ended(Self.launch, _): .some(nil)
            default: nil
            }
        }
    }

    /// The calls of the runner so far, in order.
    var calls: [RunnerMessage] { messages.filter { $0.call != nil } }

    /// The rules in the violations that the runner has reported; nil for a violation of no rule of the ABI.
    var violations: [ABIRule?] {
        messages.compactMap { if case .violation(let kind, _) = $0 { .some(kind.rule) } else { nil } }
    }

    /// Answers a call like a host that has recorded every change.
    func answer(_ call: RunnerMessage) throws {
        switch call {
        case .submit(let number, _, _): try send(.submitted(number, SubmissionNumber(rawValue: 1)))
        case .cancel(let number, _), .cancelAll(let number): try send(.cancelled(number, isRecorded: true))
        case .pending(let number): try send(.pending(number, []))
        default: break
        }
    }

    /// Waits until the contents of a file of the plugin match. There is no timeout: a test that waits in vain hangs.
    func wait(for file: String, until fits: (Data) -> Bool) async {
        while !(FileManager.default.contents(atPath: "\(directory)/\(file)").map(fits) ?? false) { await Task.yield() }
    }
}

extension RunnerMessage {
    /// The call number of a message that requires an answer; nil for other messages.
    var call: CallNumber? {
        switch self {
        case .submit(let number, _, _), .cancel(let number, _), .cancelAll(let number), .pending(let number): number
        default: nil
        }
    }
}
