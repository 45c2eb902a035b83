// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

extension ClaimInWhy {
    /// The claim with its lease, and the effect of a lost contact, as lines of a field.
    func lines(for reader: Reader) -> [String] {
        ["item \(item) of the fleet, fence \(fence), under the lease \(lease)", contactText(for: reader)]
    }

    private func contactText(for reader: Reader) -> String {
        if state == .trusted { return "the feeder's last contact was \(age(for: reader)) ago" }
        let silence = contact == nil ? "since the host started" : "for \(age(for: reader))"
        return "no contact with the fleet \(silence); \(effect)"
    }

    private var effect: String {
        if bound { return "this task is bound to this host and is not affected" }
        return switch state {
        case .unconfirmed: "this task waits until the feeder renews the lease"
        case .trusted, .deleted: "this task ends when the lease does"
        case .ended, nil: "this task ends, because another host may run the item"
        }
    }

    private func age(for reader: Reader) -> String {
        guard let contact else { return "an unknown time" }
        let age = max(.zero, reader.now - contact.wall)
        return Duration.seconds(age.wholeNanoseconds / 1_000_000_000).humanReadable
    }
}
