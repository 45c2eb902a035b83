// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel

/// The message about one alert, or about several alerts of one plugin.
struct AlertMessage: Codable, Hashable {
    /// Version of the structure. Keys may be added to a version; none is changed or removed.
    let format: Int
    /// The message in one line, for channels that show only text.
    let text: String
    /// The newest alert.
    let newest: Alert
    /// Number of alerts that the message stands for.
    let count: Int
    /// The newest alerts of the message, the oldest of them first, at most `AlertLimiter.most`.
    let alerts: [Alert]
    /// The control socket of the host.
    let host: String
    /// The newest lines of the log of the launch; nil without a launch, or without the role to read them.
    var logs: [String]?

    init(_ alerts: [Alert], count: Int, newest: Alert, host: String) {
        format = 1
        let more = count > 1 ? " (\(count) alerts)" : ""
        text = "\(newest.alert.rawValue): \(newest.task ?? newest.plugin ?? "host"): \(newest.message)\(more)"
        self.newest = newest
        self.count = count
        self.alerts = alerts
        self.host = host
    }

    /// The variables of the environment of a command.
    var environment: [String: String] {
        let values = [
            "BGTASK_ALERT": newest.alert.rawValue, "BGTASK_EVENT": newest.event ?? "",
            "BGTASK_PLUGIN": newest.plugin ?? "", "BGTASK_TASK": newest.task ?? "",
            "BGTASK_LAUNCH": newest.launch.map { "\($0)" } ?? "", "BGTASK_BLAME": newest.blame,
            "BGTASK_MESSAGE": newest.message, "BGTASK_REMEDY": newest.remedy, "BGTASK_COUNT": "\(count)",
        ]
        // A variable ends at a zero byte.
        return values.mapValues { $0.replacing("\0", with: " ") }
    }
}
