// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import PluginChecker

/// The reason why a plugin was not installed or removed. All files are then as they were before.
package struct InstallationError: Error, Sendable {
    package let message: String
    /// The remedy; nil when the message contains it.
    package let remedy: String?
    /// The failed checks of the manifest; nil when the error is not about them.
    package let report: CheckReport?

    init(_ message: String, remedy: String? = nil, report: CheckReport? = nil) {
        self.message = message
        self.remedy = remedy
        self.report = report
    }
}
