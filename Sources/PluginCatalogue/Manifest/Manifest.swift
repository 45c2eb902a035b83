// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import LocatedYAML
package import PluginBinary
package import TaskModel

/// Contents of one manifest that satisfies all rules for a single file. Neither its library nor conflicts with other
/// manifests have been checked.
package struct Manifest: Hashable, Sendable {
    /// The main plugin of an extension.
    package enum ContainingPlugin: Hashable, Sendable {
        case named(Field<PluginIdentifier>)
        /// The main plugin that lists the extension in the operator's configuration, otherwise the one whose identifier
        /// is the longest prefix of the extension's identifier.
        case byPrefix
    }

    /// The features that the plugin requires of its host, all of which this host has.
    package let requires: [String]
    package let identifier: Field<PluginIdentifier>
    package let name: String
    /// The version of the plugin; empty when the manifest has none.
    package let version: String
    package let role: PluginRole
    /// The main plugin of an extension; nil for a main plugin.
    package let containing: ContainingPlugin?
    /// The events that launch an extension; `trigger` for a main plugin.
    package let extensionPoint: ExtensionPoint
    package let extensions: [PluginIdentifier]
    package let permitted: [Field<PermittedIdentifier>]
    package let modes: Set<BackgroundMode>
    /// The permissions for requests that the grants of the manifest give: for the GPU and for health research.
    package let entitlements: Set<Entitlement>
    package let settings: [String: String]
    /// The keys of the secret settings, sorted; `settings` does not have them.
    package let secrets: [String]
    /// Functions bound to permitted identifiers; empty for a library with an entry function.
    package let handlers: [FunctionBinding]
    /// The proposed retries after failures, by permitted identifier.
    package let retries: [PermittedIdentifier: FailureRetry]
    package let library: LibraryReference
    /// Contents of the file `Info.plist` of the main bundle; nil when the plugin requests no main bundle.
    package let mainBundle: [UInt8]?
    /// The limits that the plugin requests for each of its launches.
    package let limits: PluginLimits
    /// The access that the plugin requests in addition to its library and its container.
    package let grants: Grants
}

/// The library that a manifest names. The library is searched for even when another part of the manifest is invalid.
package struct LibraryReference: Hashable, Sendable {
    /// A path relative to the directory in which the library is found; absolute paths are allowed for bound functions.
    package let path: Field<String>
    /// The architecture for which the manifest names this library; nil when it names one library for every machine.
    package let architecture: String?
    /// The libraries for other architectures, in the order of the manifest. A host on this machine never loads them.
    package let others: [OtherLibrary]
    /// The SHA-256 digest that the library must have, in lower-case hexadecimal; nil when the manifest pins none.
    package let pinnedDigest: Field<String>?
    /// The pinned files that belong to the library; empty when the manifest pins none.
    package let files: [PinnedFile]
    /// Names of the bound functions; nil for a library with an entry function.
    package let functions: [Field<String>]?

    /// Whether the manifest pins the library, so that no other file may run with it.
    package var isPinned: Bool { pinnedDigest != nil }

    /// The architectures for which the manifest names a library, sorted; empty when one library serves every machine.
    package var architectures: [String] { ([architecture].compactMap(\.self) + others.map(\.architecture)).sorted() }

    package var isAbsolute: Bool { path.value.hasPrefix("/") }

    package var use: LibraryUse { functions.map { .functions($0.map(\.value)) } ?? .entry }
}

/// A library that a manifest names for one architecture.
package struct OtherLibrary: Hashable, Sendable {
    package let architecture: String
    /// The library's path in the manifest: absolute, or relative to the directory in which libraries are found, as in
    /// `LibraryReference.path`.
    package let path: Field<String>
    /// The SHA-256 digest in lower-case hexadecimal; nil when the manifest pins none.
    package let pinnedDigest: Field<String>?
}

/// A file of the plugin beside the library, with the digest that it must have.
package struct PinnedFile: Hashable, Sendable {
    /// Path of the file, relative to the directory of the library.
    package let name: String
    /// The SHA-256 digest in lower-case hexadecimal.
    package let digest: Field<String>
}
