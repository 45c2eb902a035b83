// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import LocatedYAML
package import PluginBinary
package import TaskModel

/// Contents of one manifest that satisfies all rules for a single file. Its library and other manifests have not been
/// checked.
package struct Manifest: Hashable, Sendable {
    /// The main plugin of an extension.
    package enum ContainingPlugin: Hashable, Sendable {
        case named(Field<PluginIdentifier>)
        /// The main plugin with the longest identifier that is a prefix of the extension's.
        case byPrefix
    }

    /// Limits that are checked, but not enforced by this version.
    package struct Limits: Hashable, Sendable {
        /// In bytes.
        package let memory: Int64?
    }

    /// Sandbox rules that are checked, but not enforced by this version.
    package struct Sandbox: Hashable, Sendable {
        package let network: Bool?
        package let read: [String]
        package let write: [String]
    }

    package let identifier: Field<PluginIdentifier>
    package let name: String
    /// Empty when the manifest has no version.
    package let version: String
    package let role: PluginRole
    /// Nil for a main plugin.
    package let containing: ContainingPlugin?
    package let extensions: [PluginIdentifier]
    package let permitted: [Field<PermittedIdentifier>]
    package let modes: Set<BackgroundMode>
    package let entitlements: Set<Entitlement>
    package let settings: [String: String]
    /// Functions bound to permitted identifiers; empty for a library with an entry.
    package let handlers: [DirectHandler]
    package let library: LibraryReference
    package let limits: Limits?
    package let sandbox: Sandbox?
}

/// The library that a manifest names. It is searched even when another part of the manifest is invalid.
package struct LibraryReference: Hashable, Sendable {
    /// A relative path within its directory; for bound functions it may be absolute.
    package let path: Field<String>
    /// Lower-case hexadecimal.
    package let pinnedDigest: Field<String>?
    /// Names of the bound functions; nil for a library with an entry.
    package let functions: [Field<String>]?

    package var isAbsolute: Bool { path.value.hasPrefix("/") }

    package var use: LibraryUse { functions.map { .functions($0.map(\.value)) } ?? .entry }
}
