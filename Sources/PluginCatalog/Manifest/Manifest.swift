// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import LocatedYAML
package import PluginBinary
package import TaskModel

/// What one manifest says, once every rule that concerns the file alone holds. Says nothing about the library or about
/// other manifests.
package struct Manifest: Hashable, Sendable {
    /// The main plugin of an extension.
    package enum ContainingPlugin: Hashable, Sendable {
        case named(Field<PluginIdentifier>)
        /// The main plugin with the longest identifier that the extension's begins with.
        case byPrefix
    }

    /// Checked, not enforced by this version.
    package struct Limits: Hashable, Sendable {
        /// In bytes.
        package let memory: Int64?
    }

    /// Checked, not enforced by this version.
    package struct Sandbox: Hashable, Sendable {
        package let network: Bool?
        package let read: [String]
        package let write: [String]
    }

    package let identifier: Field<PluginIdentifier>
    package let name: String
    /// Empty when the manifest names none.
    package let version: String
    package let role: PluginRole
    /// Nil for a main plugin.
    package let containing: ContainingPlugin?
    package let extensions: [PluginIdentifier]
    package let permitted: [Field<PermittedIdentifier>]
    package let modes: Set<BackgroundMode>
    package let entitlements: Set<Entitlement>
    package let settings: [String: String]
    /// Functions that run what the manifest permits; empty for a library with an entry of its own.
    package let handlers: [DirectHandler]
    package let library: LibraryReference
    package let limits: Limits?
    package let sandbox: Sandbox?
}

/// The library as a manifest names it, which is looked for even where something else in the manifest is wrong.
package struct LibraryReference: Hashable, Sendable {
    /// Relative, and inside the folder that it is relative to; of a library whose functions are bound perhaps absolute.
    package let path: Field<String>
    /// Lower-case hexadecimal.
    package let pinnedDigest: Field<String>?
    /// What is bound of it by name; nil for a library with an entry of its own.
    package let functions: [Field<String>]?

    package var isAbsolute: Bool { path.value.hasPrefix("/") }

    package var use: LibraryUse { functions.map { .functions($0.map(\.value)) } ?? .entry }
}
