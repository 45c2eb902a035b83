// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

/// The values of a manifest in either format. Their types are checked, but not their rules. A value is nil when its key
/// is missing or its type was reported as invalid.
struct ManifestDraft {
    enum Format {
        case yaml
        case propertyList
    }

    enum ContainingPlugin {
        case named(Field<String>)
        case byPrefix
    }

    enum MainBundle {
        /// Keys of `Info.plist`, in addition to those that follow from the manifest.
        case keys([String: InfoPropertyList.Value])
        /// The property list that is the manifest.
        case file([UInt8])
    }

    let format: Format
    /// The features that the plugin requires of its host.
    var requires: Field<[Field<String>]>?
    var identifier: Field<String>?
    var name: Field<String>?
    var version: Field<String>?
    /// The role of the plugin; nil when an invalid role was reported.
    var role: PluginRole?
    var containing: ContainingPlugin?
    /// The events that launch an extension; nil when the key is missing, or an invalid value was reported.
    var extensionPoint: Field<ExtensionPoint>?
    /// Path of the library, or of the library of each architecture.
    var library: TextVariants?
    /// Digest of the library, or of the library of each architecture.
    var pinnedDigest: TextVariants?
    /// Names and digests of the pinned files, in the order of the manifest.
    var files: Field<[(name: Field<String>, value: TextVariants)]>?
    /// Nil when the plugin requests no main bundle.
    var mainBundle: MainBundle?
    var modes: Field<[Field<String>]>?
    var permitted: Field<[Field<String>]>?
    var extensions: Field<[Field<String>]>?
    var settings: [String: String] = [:]
    /// The keys of the secret settings.
    var secrets: Set<String> = []
    var limits: Field<PluginLimits>?
    var grants: GrantsDraft?
    var handlers: Field<[HandlerDraft]>?
    /// The proposed retries after failures, by the identifier in the manifest, in its order.
    var retries: [(identifier: Field<String>, retry: FailureRetry)] = []
    /// Position of the proposed retries; nil without any.
    var retryPlace: Field<Void>?
    /// Whether the key `handlers` is present, whatever its value.
    var bindsFunctions = false
}
