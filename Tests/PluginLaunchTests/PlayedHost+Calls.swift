// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginLaunch
import RunnerWire
import TaskModel

// The calls that a plugin makes and a host answers.
extension PlayedHost {
    /// The launch's call of that number, from 1; nil when the launch ended before it came.
    func call(_ number: UInt64) async -> RunnerMessage? {
        await events.first { event -> RunnerMessage?? in
            switch event {
            case .message(Self.launch, let message) where message.call?.rawValue == number: .some(message)
            case .ended(Self.launch, _): .some(nil)
            default: nil
            }
        }
    }

    /// The calls that have arrived.
    var calls: [RunnerMessage] { messages.filter { $0.call != nil } }

    /// The rules that the plugin is said to have broken.
    var violations: [String] { messages.compactMap { if case .violation(let rule, _) = $0 { rule } else { nil } } }

    /// Answers a call as a host that has recorded everything.
    func answer(_ call: RunnerMessage) throws {
        switch call {
        case .submit(let number, _, _): try send(.submitted(number, SubmissionNumber(rawValue: 1)))
        case .cancel(let number, _), .cancelAll(let number): try send(.cancelled(number, isRecorded: true))
        case .pending(let number): try send(.pending(number, []))
        default: break
        }
    }

    /// Returns once a file of the plugin has that content. Never gives up: a test that waits in vain is hung.
    func wait(for file: String, until fits: (Data) -> Bool) async {
        while !(FileManager.default.contents(atPath: "\(folder)/\(file)").map(fits) ?? false) { await Task.yield() }
    }
}

extension RunnerMessage {
    /// The number of a message that the host answers.
    var call: CallNumber? {
        switch self {
        case .submit(let number, _, _), .cancel(let number, _), .cancelAll(let number), .pending(let number): number
        default: nil
        }
    }
}
