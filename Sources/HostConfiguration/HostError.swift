// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// An error that prevents a host from starting or continuing, prevents the preparation of a launch, or prevents the
/// deletion of a purged container. Refused requests have errors of another type.
package struct HostError: Error, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable {
        private enum Name {
            case configurationInvalid, stateDirectoryTaken, stateDirectoryUnusable, socketUnusable, systemRefused
            case secretUnavailable
        }
        private let name: Name

        package static let configurationInvalid = Code(name: .configurationInvalid)
        /// Another host uses the state directory.
        package static let stateDirectoryTaken = Code(name: .stateDirectoryTaken)
        package static let stateDirectoryUnusable = Code(name: .stateDirectoryUnusable)
        package static let socketUnusable = Code(name: .socketUnusable)
        package static let systemRefused = Code(name: .systemRefused)
        /// A secret setting has no usable value.
        package static let secretUnavailable = Code(name: .secretUnavailable)
    }

    package let code: Code
    /// The problems, at least one: each has the subject with its value, the rule and the remedy.
    package let problems: [String]

    package init(code: Code, message: String) {
        self.code = code
        problems = [message]
    }

    /// Creates the error of a configuration with all its problems.
    package init(configurationProblems: [String]) {
        code = .configurationInvalid
        problems = configurationProblems
    }

    /// The problems, one per line.
    package var message: String { problems.joined(separator: "\n") }
    package var description: String { message }
}
