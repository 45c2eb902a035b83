// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation

/// The place to which messages are delivered.
enum AlertTarget {
    case output
    case command(AlertProgram)
    case webhook(Webhook)

    /// Delivers a message once.
    func deliver(_ message: AlertMessage) async -> DeliveryQueue.Outcome {
        do {
            let json = try WireCoding.encode(message)
            switch self {
            case .output:
                try CommandContext.current.write(String(decoding: json, as: UTF8.self) + "\n")
                return .delivered
            case .command(let program): return try await program.run(json, message.environment)
            case .webhook(let webhook): return Self.outcome(of: await webhook.post(json), at: webhook.url)
            }
        } catch {
            return .failed("\(error)")
        }
    }

    /// The outcome of a post with this answer. A status that rejects the request itself counts as refused, because a
    /// repetition gets the same answer.
    static func outcome(of answer: Webhook.Answer, at url: String) -> DeliveryQueue.Outcome {
        switch answer {
        case .status(200..<300): .delivered
        case .status(let status) where status == 408 || status == 425 || status == 429 || status >= 500:
            .failed("\(url) answers with status \(status)")
        case .status(let status): .refused("\(url) answers with status \(status); correct --webhook")
        case .none(let cause): .failed("\(url) does not answer: \(cause)")
        }
    }
}
