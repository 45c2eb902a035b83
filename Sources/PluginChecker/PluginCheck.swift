// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import PluginBinary
internal import PluginCatalogue

/// One check of the checker. The raw value is its name, for selection.
package enum PluginCheck: String, CaseIterable, Hashable, Sendable, Encodable {
    case manifestReadable = "manifest-readable"
    case manifestKeys = "manifest-keys"
    case manifestIdentifiers = "manifest-identifiers"
    case manifestModes = "manifest-modes"
    case manifestRole = "manifest-role"
    case manifestHandlers = "manifest-handlers"
    case libraryFound = "library-found"
    case elfStatic = "elf-static"
    case elfNote = "elf-note"
    case elfExports = "elf-exports"
    case elfDependencies = "elf-dependencies"
    case elfUndefined = "elf-undefined"
    case elfHardened = "elf-hardened"
    case libraryPinned = "library-pinned"
    case identifierFree = "identifier-free"
    case taskIdentifiersFree = "task-identifiers-free"
    case containingPlugin = "containing-plugin"

    /// The rule that the check verifies: the ID of an ABI rule, "manifest", or "loader" for a rule of the dynamic loader.
    package var rule: String {
        switch self {
        case .manifestReadable, .manifestKeys, .manifestIdentifiers, .manifestModes, .manifestRole, .manifestHandlers,
            .libraryFound, .libraryPinned, .identifierFree, .taskIdentifiersFree, .containingPlugin:
            "manifest"
        case .elfStatic: "BGT-ABI-04"
        case .elfNote: "BGT-ABI-02"
        case .elfExports: "BGT-ABI-01"
        case .elfDependencies, .elfUndefined: "loader"
        case .elfHardened: "BGT-ABI-16"
        }
    }

    /// The statement that is true when the check passes.
    package var promise: String {
        switch self {
        case .manifestReadable: "the manifest is one text file in a known format"
        case .manifestKeys: "every key is known, has a value of its type, and is supported by this version"
        case .manifestIdentifiers: "identifiers and patterns are reverse-DNS names of valid length"
        case .manifestModes: "the background modes and the entitlements are known and can be used"
        case .manifestRole: "the keys of the manifest suit its role"
        case .manifestHandlers: "every handler binds a permitted identifier to a function, with its signature"
        case .libraryFound: "the library is at a place that the manifest may name"
        case .elfStatic: "the library is a complete shared library for this machine"
        case .elfNote:
            "the library's note names a supported ABI, or handlers bind a library without a note"
        case .elfExports:
            "the library exports either the functions of its handlers, or the entry and no other symbol of the ABI"
        case .elfDependencies: "the loader of this machine finds every library that the library needs"
        case .elfUndefined: "the needed libraries define every symbol that the library uses"
        case .elfHardened: "the library requires no executable stack and no writable code"
        case .libraryPinned: "the library has the digest that the manifest pins"
        case .identifierFree: "no other manifest describes the same plugin"
        case .taskIdentifiersFree: "no other main plugin owns one of its task identifiers"
        case .containingPlugin: "an extension's main plugin is installed and lists it"
        }
    }

    /// Whether a host cannot load the library when the check fails.
    package var concernsLoading: Bool {
        switch self {
        case .libraryFound, .libraryPinned, .elfStatic, .elfNote, .elfExports, .elfDependencies, .elfUndefined: true
        default: false
        }
    }

    /// Whether the catalogue of a host checks the same. The other checks depend on further files, which may change while
    /// a host runs, so that the loader of each launch decides.
    var isOfCatalogue: Bool { self != .elfDependencies && self != .elfUndefined }

    static let ofManifest: [PluginCheck] = [
        .manifestKeys, .manifestIdentifiers, .manifestModes, .manifestRole, .manifestHandlers,
    ]
    static let ofReadLibrary: [PluginCheck] = [
        .elfNote, .elfExports, .elfDependencies, .elfUndefined, .elfHardened,
    ]
    static let amongNeighbours: [PluginCheck] = [.identifierFree, .taskIdentifiersFree, .containingPlugin]

    /// The check to which a manifest rule belongs. Rules about the library itself are handled by the caller.
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
            case .patternPrefix: .manifestIdentifiers
            case .notOffered, .notEnforced: .manifestKeys
            case .processingNeedsIdentifiers, .meaninglessMode, .meaninglessEntitlement: .manifestModes
            case .role: .manifestRole
            case .handlers, .handlerIdentifier, .handlerSymbol, .handlerArguments, .handlerReturns, .noCancelFlag:
                .manifestHandlers
            case .libraryPath, .libraryMissing, .libraryChanging: .libraryFound
            case .digest: .libraryPinned
            case .identifierTaken, .shadowed: .identifierFree
            case .taskIdentifierTaken: .taskIdentifiersFree
            case .mainMissing, .extensionNotListed: .containingPlugin
            }
    }

    init(_ problem: PluginBinaryProblem.Kind) {
        self =
            switch problem {
            case .noNote, .newerMajor, .olderMajor, .newerMinor, .noteBesideHandlers: .elfNote
            case .entryMissing, .entryHidden, .entryNotAFunction, .foreignExport, .entryBesideHandlers,
                .symbolMissing, .symbolHidden, .symbolOutdated, .symbolNotAFunction:
                .elfExports
            case .unreadable, .notAFile, .notAnELF, .wrongClass, .foreignArchitecture, .notASharedLibrary, .truncated,
                .damaged:
                .elfStatic
            case .dependencyMissing, .dependencyUnread: .elfDependencies
            case .symbolUndefined: .elfUndefined
            }
    }
}
