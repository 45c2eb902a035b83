// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The reason why a trial could not be made. It is no verdict about the plugin.
package struct TrialFailure: Error, Hashable, Sendable {
    package let message: String
    /// The remedy; nil when the message contains it.
    package let remedy: String?

    package init(_ message: String, remedy: String? = nil) {
        self.message = message
        self.remedy = remedy
    }
}
