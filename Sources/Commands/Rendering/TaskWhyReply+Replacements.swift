// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

extension TaskWhyReply.Replacements {
    /// The cause of a request that its plugin replaces again and again, and the remedy.
    static let hint =
        "each submission replaces the pending request and its earliest begin; correct the plugin so that it submits"
        + " only while no request is pending"

    /// The number of replacements, their period and their submitters, such as
    /// `11 times in 40s by its own plugin, last 4s ago`.
    func text(by plugin: String?, for reader: Reader) -> String {
        let times = count == 1 ? "once" : "\(count) times"
        let period = Duration.seconds(max(0, (reader.now - since.wall).wholeNanoseconds) / 1_000_000_000)
        let names = submitters.map { submitter in
            let name = submitter.submitter == plugin ? "its own plugin" : Self.name(of: submitter.submitter)
            return submitters.count == 1 ? name : "\(name) (\(submitter.count))"
        }
        return "\(times) in \(period.humanReadable) by \(names.joined(separator: ", ")), last"
            + " \(last.relativeText(for: reader))"
    }

    /// Whether the plugin itself replaced its requests several times, and more often than others did.
    func isMostly(by plugin: String?) -> Bool {
        guard let first = submitters.first, first.submitter == plugin else { return false }
        return first.count > 1
    }

    private static func name(of submitter: String) -> String {
        switch submitter {
        case "user": "users"
        case "schedule": "its schedule"
        default: submitter
        }
    }
}
