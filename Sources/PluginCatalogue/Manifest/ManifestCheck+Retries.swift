// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

/// Rules for the retries that a manifest proposes.
extension ManifestCheck {
    /// The valid proposals, by permitted identifier. Every other one is reported.
    func retries(permitted: [Field<PermittedIdentifier>]) -> [PermittedIdentifier: FailureRetry] {
        guard draft.role == .main else { return [:] }
        let listed = permitted.map(\.value)
        var names = ReferredNames(
            listed.map(\.description),
            hasErrors: problems.holdsErrors(under: .permittedIdentifiers)
        )
        var retries: [PermittedIdentifier: FailureRetry] = [:]
        for (field, retry) in draft.retries {
            guard let identifier = PermittedIdentifier(field.value) else {
                problems.reportIdentifier(field, isTask: !field.value.hasSuffix(".*"), isKey: true)
                continue
            }
            if listed.permits(identifier) || names.hasErrors {
                retries[identifier] = retry
            } else {
                reportUnlisted(field, &names)
            }
        }
        return retries
    }

    private func reportUnlisted(_ field: Field<String>, _ names: inout ReferredNames) {
        let nearest = names.nearest(to: field.value)
        problems.report(
            .retry,
            at: field,
            "is for an identifier that permitted-identifiers does not list",
            remedy: nearest.map { "write \"\($0)\"" } ?? "add the identifier to permitted-identifiers"
        )
    }
}
