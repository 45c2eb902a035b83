// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

// The parts of the reply about one plugin.
extension PluginReply {
    /// A secret setting. Its value is in no reply.
    package struct Secret: Codable, Hashable, Sendable {
        package let setting: String
        /// The place from which the host reads the value of the secret setting, such as `file /etc/token`; nil when the
        /// operator configured none, so that the plugin is not launched.
        package let source: String?

        package init(setting: String, source: String?) {
            self.setting = setting
            self.source = source
        }
    }

    /// A task identifier and its bound function.
    package struct Handler: Codable, Hashable, Sendable {
        package let identifier: String
        package let symbol: String
        /// The declaration of the function in C.
        package let signature: String
        /// The arguments of the function, in the notation of the manifest.
        package let arguments: [String]
        /// The rule for a successful result; nil when every return is a success.
        package let success: String?

        package init(_ handler: FunctionBinding) {
            identifier = handler.identifier.text
            symbol = handler.symbol
            signature = handler.signature
            arguments = handler.arguments.map(\.text)
            success = handler.result.rule
        }
    }

    /// A schedule in the operator's configuration, which submits requests for one task identifier.
    package struct Schedule: Codable, Hashable, Sendable {
        package let identifier: String
        package let kind: String
        /// The interval or the calendar rule of the schedule, in the notation of the configuration.
        package let rhythm: String
        /// Time of the next scheduled occurrence; nil when there is none.
        package let next: Timestamp?
        private let nextSecond: CalendarTime?

        package init(identifier: TaskIdentifier, kind: TaskKind, rhythm: String, next: WallTime?) {
            self.identifier = identifier.text
            self.kind = kind.name
            self.rhythm = rhythm
            self.next = next.map(Timestamp.init)
            nextSecond = self.next.map(CalendarTime.init(secondOf:))
        }

        private enum CodingKeys: String, CodingKey {
            case identifier, kind, rhythm
            case next = "next_ns"
            case nextSecond = "next"
        }
    }

    /// The newest launch of the plugin. Outcome and message are nil until the end of the launch is recorded.
    package struct LastLaunch: Codable, Hashable, Sendable {
        package let launch: Int64
        package let startedAt: Timestamp
        private let startedAtSecond: CalendarTime
        package let outcome: String?
        package let message: String?

        package init(_ number: LaunchNumber, startedAt: WallTime, outcome: LaunchOutcome?, message: String?) {
            launch = number.rawValue
            self.startedAt = Timestamp(startedAt)
            startedAtSecond = CalendarTime(secondOf: self.startedAt)
            self.outcome = outcome?.rawValue
            self.message = message
        }

        private enum CodingKeys: String, CodingKey {
            case launch, outcome, message
            case startedAt = "started_at_ns"
            case startedAtSecond = "started_at"
        }
    }
}
