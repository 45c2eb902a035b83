// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import LocatedYAML

// The rules that apply only to manifests.
extension DocumentProblem.Rule {
    // Rules for one manifest.
    package static let format: Self = "manifest-format"
    package static let patternPrefix: Self = "pattern-prefix"
    package static let notOffered: Self = "not-offered"
    package static let notEnforced: Self = "not-enforced"
    package static let processingNeedsIdentifiers: Self = "processing-needs-identifiers"
    package static let role: Self = "role"
    package static let meaninglessMode: Self = "meaningless-mode"
    package static let meaninglessEntitlement: Self = "meaningless-entitlement"

    // Rules for its handlers.
    package static let handlers: Self = "handlers"
    package static let handlerIdentifier: Self = "handler-identifier"
    package static let handlerSymbol: Self = "handler-symbol"
    package static let handlerArguments: Self = "handler-arguments"
    package static let handlerReturns: Self = "handler-returns"
    package static let noCancelFlag: Self = "no-cancel-flag"

    // Rules for its library.
    package static let libraryPath: Self = "library-path"
    package static let libraryMissing: Self = "library-missing"
    package static let libraryChanging: Self = "library-changing"
    package static let digest: Self = "sha256"

    // Rules for several manifests.
    package static let identifierTaken: Self = "identifier-taken"
    package static let taskIdentifierTaken: Self = "task-identifier-taken"
    package static let shadowed: Self = "shadowed"
    package static let mainMissing: Self = "main-plugin-missing"
    package static let extensionNotListed: Self = "extension-not-listed"
}
