// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import LocatedYAML

/// The rules that apply only to manifests. The raw value is the name in reports and in the control API.
package enum ManifestRule: String, CaseIterable, Sendable {
    // Rules for one manifest.
    case format = "manifest-format"
    case requires = "requires"
    case patternPrefix = "pattern-prefix"
    case oneLabel = "one-label"
    case notEnforced = "not-enforced"
    case processingNeedsIdentifiers = "processing-needs-identifiers"
    case role = "role"
    case meaninglessMode = "meaningless-mode"
    case meaninglessGrant = "meaningless-grant"
    case retry = "retry"

    // Rules for its handlers.
    case handlers = "handlers"
    case handlerIdentifier = "handler-identifier"
    case handlerSymbol = "handler-symbol"
    case handlerArguments = "handler-arguments"
    case handlerReturns = "handler-returns"
    case noCancelFlag = "no-cancel-flag"

    // Rules for its library.
    case architecture = "architecture"
    case libraryPath = "library-path"
    case libraryMissing = "library-missing"
    case libraryChanging = "library-changing"
    case digest = "sha256"
    case files = "files"
    case unpinned = "unpinned-file"
    case searchPath = "search-path"

    // Rules of provenance.
    case signature = "signature"
    case revokedKey = "revoked-key"
    case unsigned = "unsigned"
    case unacceptedSignature = "unaccepted-signature"
    case unpinnedLibrary = "unpinned"

    // Rules for several manifests.
    case identifierTaken = "identifier-taken"
    case taskIdentifierTaken = "task-identifier-taken"
    case shadowed = "shadowed"
    case mainMissing = "main-plugin-missing"
    case extensionNotListed = "extension-not-listed"
}

extension DocumentProblem.Rule {
    package static let format = Self(ManifestRule.format)
    package static let requires = Self(ManifestRule.requires)
    package static let patternPrefix = Self(ManifestRule.patternPrefix)
    package static let oneLabel = Self(ManifestRule.oneLabel)
    package static let notEnforced = Self(ManifestRule.notEnforced)
    package static let processingNeedsIdentifiers = Self(ManifestRule.processingNeedsIdentifiers)
    package static let role = Self(ManifestRule.role)
    package static let meaninglessMode = Self(ManifestRule.meaninglessMode)
    package static let meaninglessGrant = Self(ManifestRule.meaninglessGrant)
    package static let retry = Self(ManifestRule.retry)
    package static let handlers = Self(ManifestRule.handlers)
    package static let handlerIdentifier = Self(ManifestRule.handlerIdentifier)
    package static let handlerSymbol = Self(ManifestRule.handlerSymbol)
    package static let handlerArguments = Self(ManifestRule.handlerArguments)
    package static let handlerReturns = Self(ManifestRule.handlerReturns)
    package static let noCancelFlag = Self(ManifestRule.noCancelFlag)
    package static let architecture = Self(ManifestRule.architecture)
    package static let libraryPath = Self(ManifestRule.libraryPath)
    package static let libraryMissing = Self(ManifestRule.libraryMissing)
    package static let libraryChanging = Self(ManifestRule.libraryChanging)
    package static let digest = Self(ManifestRule.digest)
    package static let files = Self(ManifestRule.files)
    package static let unpinned = Self(ManifestRule.unpinned)
    package static let signature = Self(ManifestRule.signature)
    package static let revokedKey = Self(ManifestRule.revokedKey)
    package static let unsigned = Self(ManifestRule.unsigned)
    package static let unacceptedSignature = Self(ManifestRule.unacceptedSignature)
    package static let unpinnedLibrary = Self(ManifestRule.unpinnedLibrary)
    /// The rules about signatures and missing pins, which the operator's policy decides.
    package static let provenance: Set<Self> = [
        .signature, .revokedKey, .unsigned, .unacceptedSignature, .unpinnedLibrary, .unpinned,
    ]
    package static let identifierTaken = Self(ManifestRule.identifierTaken)
    package static let taskIdentifierTaken = Self(ManifestRule.taskIdentifierTaken)
    package static let shadowed = Self(ManifestRule.shadowed)
    package static let mainMissing = Self(ManifestRule.mainMissing)
    package static let extensionNotListed = Self(ManifestRule.extensionNotListed)

    private init(_ rule: ManifestRule) { self.init(rawValue: rule.rawValue) }
}
