// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import PluginChecker

/// The reason why a plugin was not installed or removed. All files are then as they were before, except those that
/// the message names.
package struct InstallationError: Error, Sendable {
    package let message: String
    /// The remedy; nil when the message contains it.
    package let remedy: String?
    /// The failed checks of the manifest; nil when the error is not about them.
    package let report: CheckReport?
    /// The unpacked pack that the report is about; nil for a manifest in a directory.
    private var unpacked: UnpackedPlugin?

    init(_ message: String, remedy: String? = nil, report: CheckReport? = nil) {
        self.message = message
        self.remedy = remedy
        self.report = report
    }

    /// The report as the operator reads it: with paths in the pack, if it is about a pack.
    package func shown(_ report: String) -> String { unpacked?.shown(report) ?? report }

    /// The error about the manifest of an unpacked pack, with paths in the pack.
    func shown(from unpacked: UnpackedPlugin) -> InstallationError {
        var error = InstallationError(unpacked.shown(message), remedy: remedy.map(unpacked.shown), report: report)
        error.unpacked = unpacked
        return error
    }
}
