// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The answer to `POST /v1/host/reload`: the effect of the configuration file that the host read again.
package struct HostReloadReply: Codable, Hashable, Sendable {
    /// The configuration file; nil when the host has none.
    package let file: String?
    /// The changed keys that apply from now on.
    package let applied: [String]
    /// The changed keys that apply from the next start of the host.
    package let needingRestart: [String]
    /// The entries of the file that have no effect, such as a schedule of an identifier that no manifest permits.
    package let warnings: [String]

    package init(file: String?, applied: [String], needingRestart: [String], warnings: [String] = []) {
        self.file = file
        self.applied = applied
        self.needingRestart = needingRestart
        self.warnings = warnings
    }

    private enum CodingKeys: String, CodingKey {
        case file, applied, warnings
        case needingRestart = "needing_restart"
    }
}
