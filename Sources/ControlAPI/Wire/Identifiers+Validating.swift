// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

// Identifiers and numbers from requests. An invalid one is refused with the rule that it breaks.
extension TaskIdentifier {
    package init(validating text: String, field: String = "identifier") throws(RouteError) {
        guard let identifier = TaskIdentifier(text) else {
            throw .malformedIdentifier(text, field: field, isTask: true)
        }
        self = identifier
    }
}

extension PluginIdentifier {
    package init(validating text: String, field: String = "identifier") throws(RouteError) {
        guard let identifier = PluginIdentifier(text) else { throw .malformedIdentifier(text, field: field) }
        self = identifier
    }
}

extension LaunchNumber {
    package init(validating text: String) throws(RouteError) {
        guard let number = Int64(text), number > 0 else {
            throw RouteError(
                .numberInvalid,
                field: "number",
                "launch \"\(text)\" is not a launch number, which is a whole number above 0",
                remedy: "list the launches with \"bgtask launch list\""
            )
        }
        self.init(rawValue: number)
    }
}

extension SubmissionNumber {
    /// Reads the number of a transfer.
    package init(validatingTransfer text: String) throws(RouteError) {
        guard let number = Int64(text), number > 0 else {
            throw RouteError(
                .numberInvalid,
                field: "number",
                "transfer \"\(text)\" is not the number of a transfer, which is a whole number above 0",
                remedy: "list the transfers with \"bgtask transfer list\""
            )
        }
        self.init(rawValue: number)
    }
}
