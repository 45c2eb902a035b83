// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import LinuxSystem

/// The refusal or the failure of a backup or of a restore. Nothing was written then, except what the message names.
package struct BackupError: Error, Hashable {
    package let message: String
    /// The remedy; nil when the message contains it.
    package let remedy: String?

    package init(_ message: String, remedy: String? = nil) { (self.message, self.remedy) = (message, remedy) }

    package init(_ error: SystemError, remedy: String) { self.init("\(error)", remedy: remedy) }
}
