// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import PluginBinary
internal import PluginCatalogue
internal import TaskModel

/// A check of a plugin's manifest and library files. The raw value is the name by which `plugin check` selects it.
package enum PluginCheck: String, CaseIterable, Hashable, Sendable, Encodable {
    case manifestReadable = "manifest-readable"
    case manifestRequires = "manifest-requires"
    case manifestKeys = "manifest-keys"
    case manifestIdentifiers = "manifest-identifiers"
    case manifestModes = "manifest-modes"
    case manifestRole = "manifest-role"
    case manifestHandlers = "manifest-handlers"
    case libraryFound = "library-found"
    case libraryArchitectures = "library-architectures"
    case elfStatic = "elf-static"
    case elfNote = "elf-note"
    case elfExports = "elf-exports"
    case elfSearchPath = "elf-search-path"
    case elfDependencies = "elf-dependencies"
    case elfUndefined = "elf-undefined"
    case elfTextRelocations = "elf-text-relocations"
    case elfDlopenFlags = "elf-dlopen-flags"
    case elfHardened = "elf-hardened"
    case libraryPinned = "library-pinned"
    case filesPinned = "files-pinned"
    case provenance
    case identifierFree = "identifier-free"
    case taskIdentifiersFree = "task-identifiers-free"
    case containingPlugin = "containing-plugin"

    /// The subject of a check. It decides which earlier failure leaves the check without a result.
    enum Group: Hashable {
        /// The text of the manifest file.
        case text
        case manifest
        /// The place and the digest of the library.
        case place
        /// The type of the library file. Only a file of the right type has contents that can be checked.
        case file
        case contents
        /// The other manifests of the host: conflicts with them, and the main plugin of an extension.
        case neighbours
    }

    /// The origin of the rule that a check verifies.
    enum Rule: Hashable {
        case manifest
        /// The dynamic loader of this machine.
        case loader
        case abi(ABIRule)

        var name: String {
            switch self {
            case .manifest: "manifest"
            case .loader: "loader"
            case .abi(let rule): rule.rawValue
            }
        }
    }

    struct Row {
        let rule: Rule
        let group: Group
        let concernsLoading: Bool
        let promise: String

        init(_ group: Group, rule: Rule = .manifest, concernsLoading: Bool = false, _ promise: String) {
            self.rule = rule
            self.group = group
            self.concernsLoading = concernsLoading
            self.promise = promise
        }
    }

    /// The rule that the check verifies: the ID of an ABI rule, "manifest", or "loader".
    package var rule: String { row.rule.name }
    /// The statement that is true when the check passes.
    package var promise: String { row.promise }
    /// Whether a host cannot load the library when the check fails.
    package var concernsLoading: Bool { row.concernsLoading }

    /// Whether the catalogue of a host verifies the same rule as the check. The remaining checks depend on needed
    /// libraries, which may change while a host runs, so that the loader of each launch decides.
    var isOfCatalogue: Bool { row.rule != .loader || self == .elfDlopenFlags }

    /// The check to which a manifest rule belongs. Callers pass no rule about the contents of the library: a problem of
    /// the contents has an initializer of its own.
    init(manifestRule rule: DocumentProblem.Rule) {
        if let rule = ManifestRule(rawValue: rule.rawValue) {
            self.init(rule)
        } else {
            self =
                Self.rulesOfText.contains(rule)
                ? .manifestReadable : rule == .identifier ? .manifestIdentifiers : .manifestKeys
        }
    }

    /// The rules that apply to the text of every YAML file.
    private static let rulesOfText: Set<DocumentProblem.Rule> = [
        .unreadable, .tooLarge, .notText, .syntax, .tooDeep, .noAliases, .noTags,
    ]

    private init(_ rule: ManifestRule) {
        self =
            switch rule {
            case .format: .manifestReadable
            case .requires: .manifestRequires
            case .patternPrefix, .oneLabel, .retry: .manifestIdentifiers
            case .notEnforced: .manifestKeys
            case .processingNeedsIdentifiers, .meaninglessMode, .meaninglessGrant: .manifestModes
            case .role: .manifestRole
            case .handlers, .handlerIdentifier, .handlerSymbol, .handlerArguments, .handlerReturns, .noCancelFlag:
                .manifestHandlers
            case .architecture, .libraryPath, .libraryMissing, .libraryChanging: .libraryFound
            case .digest: .libraryPinned
            case .files, .unpinned: .filesPinned
            case .searchPath: .elfSearchPath
            case .signature, .revokedKey, .unsigned, .unacceptedSignature, .unpinnedLibrary: .provenance
            case .identifierTaken, .shadowed: .identifierFree
            case .taskIdentifierTaken: .taskIdentifiersFree
            case .mainMissing, .extensionNotListed: .containingPlugin
            }
    }

    init(_ problem: PluginBinaryProblem.Kind) {
        self =
            switch problem {
            case .noNote, .newerMajors, .olderMajors, .newerMinor, .noteBesideHandlers: .elfNote
            case .entryMissing, .entryHidden, .entryMangled, .entryNotAFunction, .foreignExport,
                .entryBesideHandlers, .symbolMissing, .symbolHidden, .symbolOutdated, .symbolNotAFunction:
                .elfExports
            case .unreadable, .notAFile, .notAnELF, .wrongClass, .foreignArchitecture, .notASharedLibrary, .truncated,
                .damaged:
                .elfStatic
            case .dependencyMissing, .dependencyUnread: .elfDependencies
            case .symbolUndefined, .versionUndefined: .elfUndefined
            case .textRelocations: .elfTextRelocations
            case .notOpenable(nil): .elfDlopenFlags
            case .notOpenable: .elfDependencies
            case .searchPathRefused, .neededPathRefused: .elfSearchPath
            }
    }
}
