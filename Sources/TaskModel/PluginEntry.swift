// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// One installed plugin as its manifest describes it. The operator's policies for the plugin are stored elsewhere.
package struct PluginEntry: Hashable, Sendable {
    /// The features that the manifest requires of a host.
    package let requires: [String]
    package let identifier: PluginIdentifier
    package let name: String
    package let version: String
    package let role: PluginRole
    /// The main plugin of an extension; nil for a main plugin.
    package let containingPlugin: PluginIdentifier?
    /// The events that launch an extension; `trigger` for a main plugin.
    package let extensionPoint: ExtensionPoint
    /// The extensions that share the container of this main plugin; empty for an extension.
    package let extensions: [PluginIdentifier]
    package let permitted: [PermittedIdentifier]
    package let modes: Set<BackgroundMode>
    package let entitlements: Set<Entitlement>
    /// The settings of the plugin: the manifest's defaults, overridden by the operator's values.
    package private(set) var settings: [String: String]
    /// The keys of the secret settings, sorted. `settings` has neither these keys nor their values.
    package let secrets: [String]
    /// The functions that the manifest binds, one per identifier; empty for a library with an entry function.
    package let handlers: [FunctionBinding]
    /// The retries after failures that the manifest proposes, by permitted identifier. The operator decides about them.
    package let retries: [PermittedIdentifier: FailureRetry]
    /// The access that the manifest requests.
    package let grants: Grants
    /// The limits that the manifest requests for each launch.
    package let limits: PluginLimits
    package let library: LibraryFile
    /// The files that the sandbox opens in addition to the library.
    package let companions: LibraryCompanions
    /// The bundle that `Bundle.main` describes; nil when the manifest requests none.
    package let mainBundle: MainBundle?
    /// The architectures for which the manifest names a library; empty when one library serves every machine.
    package let architectures: [String]
    package let manifestPath: String
    /// SHA-256 of the manifest's bytes, lower-case hexadecimal.
    package let manifestDigest: String
    package let provenance: Provenance

    package init(
        requires: [String] = [],
        identifier: PluginIdentifier,
        name: String,
        version: String,
        role: PluginRole,
        containingPlugin: PluginIdentifier? = nil,
        extensionPoint: ExtensionPoint = .trigger,
        extensions: [PluginIdentifier] = [],
        permitted: [PermittedIdentifier],
        modes: Set<BackgroundMode>,
        entitlements: Set<Entitlement> = [],
        settings: [String: String] = [:],
        secrets: [String] = [],
        handlers: [FunctionBinding] = [],
        retries: [PermittedIdentifier: FailureRetry] = [:],
        grants: Grants = .none,
        limits: PluginLimits = .none,
        library: LibraryFile,
        companions: LibraryCompanions = .files([]),
        mainBundle: MainBundle? = nil,
        architectures: [String] = [],
        manifestPath: String,
        manifestDigest: String,
        provenance: Provenance = Provenance()
    ) {
        self.requires = requires
        self.identifier = identifier
        self.name = name
        self.version = version
        self.role = role
        self.containingPlugin = containingPlugin
        self.extensionPoint = extensionPoint
        self.extensions = extensions
        self.permitted = permitted
        self.modes = modes
        self.entitlements = entitlements
        self.settings = settings
        self.secrets = secrets
        self.handlers = handlers
        self.retries = retries
        self.grants = grants
        self.limits = limits
        self.library = library
        self.companions = companions
        self.mainBundle = mainBundle
        self.architectures = architectures
        self.manifestPath = manifestPath
        self.manifestDigest = manifestDigest
        self.provenance = provenance
    }

    /// The function that the manifest binds to a task identifier; nil without one.
    package func handler(for identifier: TaskIdentifier) -> FunctionBinding? {
        handlers.first { $0.identifier == identifier }
    }

    /// The entry of a launch of the transfer library: it has the identity, settings and grants of the plugin, and nothing
    /// that concerns the plugin's own code.
    package func transferring(by transferLibrary: LibraryFile) -> PluginEntry {
        PluginEntry(
            requires: requires,
            identifier: identifier,
            name: name,
            version: version,
            role: role,
            containingPlugin: containingPlugin,
            permitted: [.exact(.transferHandler)],
            modes: [],
            settings: settings,
            secrets: secrets,
            grants: Grants(network: grants.network, connect: grants.connect),
            limits: limits,
            library: transferLibrary,
            manifestPath: manifestPath,
            manifestDigest: manifestDigest,
            provenance: provenance
        )
    }

    /// A copy of the entry with other settings.
    package func with(settings: [String: String]) -> PluginEntry {
        var entry = self
        entry.settings = settings
        return entry
    }
}

/// A plugin's library at the time of its examination. The runner refuses any other file at that path.
package struct LibraryFile: Hashable, Sendable {
    package let path: String
    /// SHA-256 of the library's bytes, lower-case hexadecimal.
    package let digest: String
    package let identity: FileIdentity
    /// The minor version of the ABI's header that the library was built with; nil for a library with bound functions.
    package let headerMinor: Int?

    package init(path: String, digest: String, identity: FileIdentity, headerMinor: Int? = nil) {
        self.path = path
        self.digest = digest
        self.identity = identity
        self.headerMinor = headerMinor
    }
}

/// File metadata that changes whenever the file changes. While the identity of a file is unchanged, the file need not
/// be read again.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    package let size: Int64
    /// Time of the last modification of the file's contents, in nanoseconds since 1970.
    package let modified: Int64
    /// Time of the last change of contents or metadata, in nanoseconds since 1970. A program that writes to the file
    /// cannot set this time back.
    package let changed: Int64

    package var key: FileKey { FileKey(device: device, inode: inode) }

    package init(device: UInt64, inode: UInt64, size: Int64, modified: Int64, changed: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }
}
