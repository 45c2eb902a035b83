// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

extension ColorFeed {
    /// Stores the new entries of the feed; the handler of the refresh task.
    func handleAppRefresh(task: BGTask) {
        // The next request is submitted first, so that it exists whatever happens to this task.
        scheduleAppRefresh()
        let work = Task {
            do {
                task.complete(try await refresh() ? .success : .noData)
            } catch {
                report(error, of: task)
                task.setTaskCompleted(success: false)
            }
        }
        task.expirationHandler = { work.cancel() }
    }

    /// Downloads and stores the feed. Returns whether there were new entries.
    private func refresh() async throws -> Bool {
        let address = try Settings.feed()
        let store = try FeedStore.inContainer()
        guard let download = try await FeedDownload.from(address, unlessTagged: try await store.tag(of: address)) else {
            BackgroundPlugin.log("\(address) has not changed")
            return false
        }
        let document = try FeedDocument(download.body, of: address)
        // The next cleaning would delete older entries again.
        let recent = document.entries.filter { $0.published >= Settings.oldestToKeep }
        try Task.checkCancellation()
        let fresh = try await store.keep(recent, tag: download.tag, of: address)
        let old = document.entries.count - recent.count
        BackgroundPlugin.log(
            "kept \(fresh) new colours of \(document.entries.count) from \(address);"
                + " \(old) are too old, \(document.colorless) entries name none"
        )
        return fresh > 0
    }
}
