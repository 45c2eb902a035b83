// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

extension ColorFeed {
    /// Writes a page with the swatches of a family of colours, and reports progress to the user; the handler of the
    /// continued task.
    func handleExport(task: BGContinuedProcessingTask, of name: String) {
        let work = Task {
            do {
                try await export(name, task)
                task.setTaskCompleted(success: true)
            } catch {
                report(error, of: task)
                task.setTaskCompleted(success: false)
            }
        }
        task.expirationHandler = { work.cancel() }
    }

    private func export(_ name: String, _ task: BGContinuedProcessingTask) async throws {
        guard let family = ColorFamily(rawValue: name) else {
            let known = ColorFamily.allCases.map(\.rawValue).joined(separator: ", ")
            throw Failure("\"\(name)\" is not a family of colours; export one of \(known)")
        }
        let store = try FeedStore.inContainer()
        let entries = try await store.entries().filter { family.contains($0.color) }
            .sorted { $0.color.placeOnWheel < $1.color.placeOnWheel }
        if entries.isEmpty { throw Failure("no colour of the family \"\(name)\" is stored; refresh first") }

        task.progress.totalUnitCount = Int64(entries.count)
        let page = try SwatchPage(of: family, in: try Settings.exportDirectory())
        do {
            for (index, entry) in entries.enumerated() {
                try Task.checkCancellation()
                task.updateTitle("Exporting \(family.rawValue)", subtitle: "\(index + 1) of \(entries.count)")
                try page.add(entry)
                try await Task.sleep(for: Settings.pause)
                task.progress.completedUnitCount = Int64(index + 1)
            }
            try page.finish()
        } catch {
            page.discard()
            throw error
        }
        BackgroundPlugin.log("exported \(entries.count) colours to \(page.file.path)")
    }
}
