// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The body of an answer without a success status.
package struct ErrorReply: Codable, Hashable, Sendable {
    package let error: Body

    package init(
        code: String,
        subReason: String,
        field: String? = nil,
        message: String,
        problems: [String]? = nil,
        remedy: String? = nil,
        endedAt: WallTime? = nil
    ) {
        error = Body(
            code: code,
            subReason: subReason,
            field: field,
            message: message,
            problems: problems,
            remedy: remedy,
            endedAt: endedAt.map(Timestamp.init)
        )
    }

    package struct Body: Codable, Hashable, Sendable {
        package let code: String
        /// The precise cause of the error; `code` is only its category.
        package let subReason: String
        /// The invalid part of the call: a key of the body, or a name in the query or in the path; nil for none.
        package let field: String?
        /// The subject, its value and the violated rule.
        package let message: String
        /// The problems of a configuration, each with its place and its remedy; nil for other errors.
        package let problems: [String]?
        /// The correction that the caller can make; nil when none is given.
        package let remedy: String?
        /// The time at which the device token of a refused push ended; nil for other errors.
        package let endedAt: Timestamp?
        private let endedAtSecond: CalendarTime?

        fileprivate init(
            code: String,
            subReason: String,
            field: String?,
            message: String,
            problems: [String]?,
            remedy: String?,
            endedAt: Timestamp?
        ) {
            self.code = code
            self.subReason = subReason
            self.field = field
            self.message = message
            self.problems = problems
            self.remedy = remedy
            self.endedAt = endedAt
            endedAtSecond = endedAt.map(CalendarTime.init(secondOf:))
        }

        private enum CodingKeys: String, CodingKey {
            case code, field, message, problems, remedy
            case subReason = "sub_reason"
            case endedAt = "ended_at_ns"
            case endedAtSecond = "ended_at"
        }
    }
}
