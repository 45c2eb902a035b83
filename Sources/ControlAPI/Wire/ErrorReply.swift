// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The body of every answer that is not a success.
package struct ErrorReply: Codable, Hashable, Sendable {
    package let error: Body

    package init(code: String, subReason: String, field: String? = nil, message: String, remedy: String? = nil) {
        error = Body(code: code, subReason: subReason, field: field, message: message, remedy: remedy)
    }

    package struct Body: Codable, Hashable, Sendable {
        package let code: String
        /// What is behind the code; codes are few.
        package let subReason: String
        /// The part of the request that it is about: a key of the body, a name in the query or in the path; nil for none.
        package let field: String?
        /// Names the thing, the value and the rule.
        package let message: String
        /// Nil when the message says it already.
        package let remedy: String?

        private enum CodingKeys: String, CodingKey {
            case code, field, message, remedy
            case subReason = "sub_reason"
        }
    }
}
