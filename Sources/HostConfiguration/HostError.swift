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
    /// The subject with its value, the rule and the remedy.
    package let message: String

    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
