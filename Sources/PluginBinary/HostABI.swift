// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The plugin ABI version of this release, as in `bgtask.h`.
package enum HostABI {
    package static let major = 1
    package static let minor = 0

    /// Whether a plugin may export a symbol with that name: the entry for this host's major version, or the numbered
    /// entry for another one, `bgtask_plugin_entry_MAJOR`.
    package static func isEntryName(_ name: String) -> Bool {
        if name == PluginBinary.entryName { return true }
        let prefix = PluginBinary.entryName + "_"
        guard name.hasPrefix(prefix) else { return false }
        let digits = name.utf8.dropFirst(prefix.utf8.count)
        return !digits.isEmpty && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
