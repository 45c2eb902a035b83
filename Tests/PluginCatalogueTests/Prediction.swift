// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
import PluginCatalogue
import PluginChecker
import TaskModel
import Testing

extension Workshop {
    /// Checks that the checker reports the same decisions and messages as the catalogue.
    func expectForeseen(
        _ contents: CatalogueContents,
        known: [KnownPlugin],
        operatorExtensions: [PluginIdentifier: Set<PluginIdentifier>]
    ) {
        let sources = CatalogueReader.manifests(in: directories).sources
        let examination = PluginExamination(
            sources,
            pluginDirectory: directories.plugins,
            alreadyCatalogued: known,
            operatorExtensions: operatorExtensions
        )
        let report = examination.report(on: sources.map(\.file), tool: "test")
        #expect(report.manifests.count == sources.count)
        for manifest in report.manifests {
            let refusal = contents.refused.first { $0.file == manifest.manifest }
            let fails = manifest.verdict == .doesNotConform || manifest.verdict == .cannotBeLoaded
            #expect(fails == (refusal != nil), "\(manifest)")
            #expect(manifest.verdict != .checkerFailed, "\(manifest)")
            let findings = manifest.results.flatMap(\.findings)
            for problem in refusal?.problems ?? [] {
                #expect(
                    findings.contains { $0.rule == problem.rule.rawValue && $0.message == problem.message },
                    "\(problem)"
                )
            }
        }
    }
}
