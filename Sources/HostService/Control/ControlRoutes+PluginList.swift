// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import PluginCatalogue
import Scheduling
import TaskLedger
import TaskModel

// The list of plugins in pages: installed plugins first, then refused manifests.
extension ControlRoutes {
    func pluginList(_ query: PluginQuery) async throws -> PluginListReply {
        if let manifest = query.manifest { return try await pluginList(ofManifest: manifest) }
        var list = PluginListReply(plugins: [], refused: [], isPartial: !catalogue.isLoaded)
        switch query.after {
        case nil: try await fill(&list, after: nil, upTo: query.limit)
        case .plugin(let last): try await fill(&list, after: last, upTo: query.limit)
        case .endOfPlugins: fill(&list, withRefusedAfter: nil, upTo: query.limit)
        case .refused(let last): fill(&list, withRefusedAfter: last, upTo: query.limit)
        }
        return list
    }

    /// Adds installed plugins to the list. When the last installed plugin has been added, adds refused manifests, too.
    private func fill(
        _ list: inout PluginListReply,
        after last: PluginIdentifier?,
        upTo limit: Int
    ) async throws {
        var cursor = last
        var summaries: [PluginSummary] = []
        repeat {
            let (start, room) = (cursor, min(limit - summaries.count, Self.itemsPerTurn))
            let page = try await read { scheduler, _ in scheduler.pluginPage(after: start, limit: room) }
            summaries += page.plugins
            list.isPartial = list.isPartial || page.isPartial
            cursor = page.next
        } while cursor != nil && summaries.count < limit
        list.plugins = try await listed(summaries)
        if let cursor {
            list.next = PluginCursor.plugin(cursor).text
        } else if summaries.count < limit {
            fill(&list, withRefusedAfter: nil, upTo: limit)
        } else if !catalogue.contents.refused.isEmpty {
            list.next = PluginCursor.endOfPlugins.text
        }
    }

    private func fill(_ list: inout PluginListReply, withRefusedAfter file: String?, upTo limit: Int) {
        let following = catalogue.contents.refused(after: file)
        let page = following.prefix(limit - list.plugins.count)
        list.refused = page.map(PluginListReply.Refused.init)
        list.next = page.count < following.count ? page.last.map { PluginCursor.refused($0.file).text } : nil
    }

    private func pluginList(ofManifest file: String) async throws -> PluginListReply {
        let isPartial = !catalogue.isLoaded
        let contents = catalogue.contents
        let plugins = contents.entries.filter { $0.manifestPath == file }.map(\.identifier)
        let summaries = try await read { scheduler, _ in plugins.compactMap { scheduler.summary(of: $0) } }
        return PluginListReply(
            plugins: try await listed(summaries.filter { $0.entry.manifestPath == file }),
            refused: contents.refused(file).map { [.init($0)] } ?? [],
            isPartial: isPartial
        )
    }

    private func listed(_ summaries: [PluginSummary]) async throws -> [PluginListReply.Summary] {
        let plugins = summaries.map(\.entry.identifier)
        let failing = try await recorded { try $0.failing(among: plugins) }
        return summaries.map { listed($0, isFailing: failing.contains($0.entry.identifier)) }
    }
}

extension PluginListReply.Refused {
    fileprivate init(_ refused: RefusedFile) {
        self.init(
            file: refused.file,
            identifier: refused.identifier?.text,
            problems: refused.problems.map(ManifestNote.init)
        )
    }
}
