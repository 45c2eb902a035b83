// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

/// Settlement of extensions: each extension needs a main plugin that lists it.
extension CatalogueSettlement {
    /// The main plugin of every accepted extension. Runs last, because a refused main plugin has no extensions.
    ///
    /// - Parameters:
    ///   - operatorExtensions: extensions that the operator's configuration lists in addition to manifests.
    ///   - unusable: manifests that were refused before the settlement, as causes of a missing main plugin.
    mutating func settleExtensions(
        operatorExtensions: [PluginIdentifier: Set<PluginIdentifier>],
        besides unusable: [RefusedFile]
    ) -> [PluginIdentifier: PluginIdentifier] {
        let mains = Dictionary(kept.filter { $0.manifest.role == .main }.map { ($0.identifier, $0) }) { first, _ in
            first
        }
        defer { dropRefused() }
        let extensions = Set(kept.filter { $0.manifest.role == .extension }.map(\.identifier))
        var containing: [PluginIdentifier: PluginIdentifier] = [:]
        for candidate in kept where candidate.manifest.role == .extension {
            guard let main = main(of: candidate, among: mains, operatorExtensions) else {
                refuseOrphan(candidate, among: extensions, besides: unusable)
                continue
            }
            let listed = main.manifest.extensions.contains(candidate.identifier)
            if listed || operatorExtensions[main.identifier]?.contains(candidate.identifier) == true {
                containing[candidate.identifier] = main.identifier
                continue
            }
            let verb = if case .named = candidate.manifest.containing { "names" } else { "has" }
            refuse(
                candidate,
                .extensionNotListed,
                at: place(of: candidate),
                "\(verb) the main plugin \"\(main.identifier)\", which does not list \"\(candidate.identifier)\" as its"
                    + " extension",
                // A property list cannot list extensions.
                remedy: "add \"\(candidate.identifier)\" to "
                    + (main.file.hasSuffix(".plist") ? "" : "the extensions in \(main.file), or to ")
                    + "plugins.\(main.identifier).extensions in the host's configuration, with a restart of the host"
            )
        }
        return containing
    }

    /// The main plugin of an extension. If the format of the extension's manifest cannot name one, it is the main
    /// plugin that lists the extension in the operator's configuration; without such a plugin, the one whose
    /// identifier is the longest prefix of the extension's identifier. Nil when there is none.
    private func main(
        of candidate: CatalogueCandidate,
        among mains: [PluginIdentifier: CatalogueCandidate],
        _ operatorExtensions: [PluginIdentifier: Set<PluginIdentifier>]
    ) -> CatalogueCandidate? {
        if case .named(let field) = candidate.manifest.containing { return mains[field.value] }
        let listing = operatorExtensions.filter { $0.value.contains(candidate.identifier) }.keys.sorted()
        if let main = listing.lazy.compactMap({ mains[$0] }).first { return main }
        var name = candidate.identifier.text[...]
        while let dot = name.lastIndex(of: ".") {
            name = name[..<dot]
            if let main = PluginIdentifier(String(name)).flatMap({ mains[$0] }) { return main }
        }
        return nil
    }

    private mutating func refuseOrphan(
        _ candidate: CatalogueCandidate,
        among extensions: Set<PluginIdentifier>,
        besides unusable: [RefusedFile]
    ) {
        guard case .named(let field) = candidate.manifest.containing else {
            return refuse(
                candidate,
                .mainMissing,
                at: candidate.manifest.identifier,
                "is the extension \"\(candidate.identifier)\", and no accepted main plugin has an identifier with which"
                    + " the extension's identifier begins",
                remedy: "install its main plugin, correct the problems of a refused one, or list the extension under"
                    + " plugins.MAIN.extensions in the host's configuration, with the main plugin's identifier as MAIN,"
                    + " and restart the host"
            )
        }
        let cause = (unusable + refused).lazy.filter { $0.identifier == field.value }.flatMap(\.problems)
            .first { $0.severity == .error }
        let (message, remedy) =
            if extensions.contains(field.value) {
                ("names \"\(field.value)\", which is an extension itself", "name the main plugin of that extension")
            } else if let cause {
                (
                    "names the main plugin \"\(field.value)\", which is refused: \(cause.file):"
                        + " \(cause.key.map { "\($0): " } ?? "")\(cause.message)", cause.remedy
                )
            } else {
                (
                    "names the main plugin \"\(field.value)\", which is not installed",
                    "install the main plugin, or correct its identifier here"
                )
            }
        refuse(candidate, .mainMissing, at: field, message, remedy: remedy)
    }

    private func place(of candidate: CatalogueCandidate) -> Field<Void> {
        if case .named(let field) = candidate.manifest.containing { return field.map { _ in } }
        return candidate.manifest.identifier.map { _ in }
    }
}
