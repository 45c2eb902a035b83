// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import PluginBinary
package import PluginCatalogue
package import TaskModel

/// Several manifests, as a host would find them together, with the catalogue's decision on each.
///
/// It reads files and runs no code. The catalogue decides on refusals and their reasons; this type assigns the reasons
/// to checks.
package struct PluginExamination {
    package let contents: CatalogueContents
    private let examined: [ExaminedManifest]
    private let pluginDirectory: String?

    /// Examines the manifests.
    ///
    /// - Parameters:
    ///   - sources: the manifests to examine and all manifests beside them.
    ///   - rule: the operator's policy of provenance.
    ///   - alreadyCatalogued: the plugins that a host has already catalogued; they take precedence in a conflict.
    package init(
        _ sources: [ManifestSource],
        pluginDirectory: String?,
        alreadyCatalogued: [KnownPlugin] = [],
        operatorExtensions: [PluginIdentifier: Set<PluginIdentifier>] = [:],
        rule: ProvenanceRule = .standard,
        cache: CatalogueCache = CatalogueCache()
    ) {
        self.pluginDirectory = pluginDirectory
        examined = sources.map { source in
            ExaminedManifest.examine(source, pluginDirectory: pluginDirectory, rule: rule, cache: cache)
        }
        contents = CatalogueReader.settle(
            examined,
            alreadyCatalogued: alreadyCatalogued,
            operatorExtensions: operatorExtensions
        )
    }

    package func reading(of file: String) -> ManifestReading? { examined(file)?.reading }

    /// Path of the library of a manifest, accepted or refused; nil when none was found.
    package func libraryPath(of file: String) -> String? { examined(file)?.libraryPath }

    /// The report on some of the manifests.
    ///
    /// - Parameter tool: version of the calling program.
    package func report(on files: [String], selection: CheckSelection = .everything, tool: String) -> CheckReport {
        CheckReport(
            tool: tool,
            abi: "\(HostABI.major).\(HostABI.minor)",
            profile: selection.profile,
            manifests: files.compactMap(examined).map { report(on: $0, selection) }
        )
    }

    private func examined(_ file: String) -> ExaminedManifest? { examined.first { $0.reading.file == file } }

    private func report(on manifest: ExaminedManifest, _ selection: CheckSelection) -> ManifestReport {
        let file = manifest.reading.file
        let refusal = contents.refused.first { $0.file == file }
        let neighbourly = (refusal?.problems ?? []) + contents.notes.filter { $0.file == file }
        let findings = ManifestFindings(manifest, besides: neighbourly, pluginDirectory: pluginDirectory)
        let all = PluginCheck.allCases.map(findings.result)
        let results = all.map { result in
            let name = result.check.rawValue
            if let reason = selection.omission(of: name) { return CheckResult(skipping: result.check, because: reason) }
            return selection.exclusion(of: name).map { CheckResult(excluding: result.check, because: $0) } ?? result
        }
        // Both results come from the same code; if they ever differ, neither is reliable.
        let agrees = (refusal != nil) == all.contains { $0.outcome == .fail && $0.check.isOfCatalogue }
        return ManifestReport(
            manifest: file,
            manifestDigest: manifest.reading.digest,
            identifier: manifest.reading.identifier?.text,
            library: manifest.libraryPath,
            libraryDigest: manifest.library?.digest ?? manifest.libraryPath.flatMap { try? LibraryDigest.of(path: $0) },
            verdict: agrees ? verdict(on: results) : .checkerFailed,
            results: results
        )
    }

    private func verdict(on results: [CheckResult]) -> CheckVerdict {
        let failed = results.filter { $0.outcome == .fail }
        if failed.contains(where: \.check.concernsLoading) { return .cannotBeLoaded }
        if !failed.isEmpty { return .doesNotConform }
        return results.contains { $0.outcome == .excluded } ? .passedWithExclusions : .conforms
    }
}
