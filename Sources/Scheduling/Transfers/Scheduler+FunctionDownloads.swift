// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Downloads that bound functions take as arguments (C24). A submission of the task begins them, and the task waits for
// their ends. They are transfers of the plugin, with the task identifier as the label and a session for the position of
// the argument: so they outlive the host without further records.
extension Scheduler {
    /// Whether the plugin is a library with bound functions.
    func hasFunctions(_ plugin: PluginIdentifier) -> Bool {
        plugins.contains(plugin) && plugins[plugin].hasFunctions
    }

    /// Whether the function of a task takes downloads as arguments: its request never starts at once.
    func takesDownloads(_ identifier: TaskIdentifier, _ plugin: PluginIdentifier) -> Bool {
        !downloads(of: identifier, plugin).isEmpty
    }

    private func downloads(of identifier: TaskIdentifier, _ plugin: PluginIdentifier) -> [Int: String] {
        let handlers = plugins.contains(plugin) ? plugins[plugin].entry?.handlers ?? [] : []
        return handlers.first { $0.identifier == identifier }?.downloads ?? [:]
    }

    /// Begins the downloads for the function of a request that are neither open nor ended with a file. The commit of a
    /// new request has taken the files of earlier ones; a requeued request gets the files that its earlier run has left.
    private mutating func beginDownloads(for request: PendingRequest, at now: Moment) {
        let (plugin, identifier) = (request.plugin, request.request.identifier)
        for (position, url) in downloads(of: identifier, plugin).sorted(by: { $0.key < $1.key }) {
            guard let description = TransferDescription(argument: position, of: identifier, from: url),
                transfers[plugin]?.contains(description) != true,
                file(of: description, plugin) == nil
            else { continue }
            begin(NewTransfer(description, plugin: plugin), for: .function(of: plugin, for: identifier), at: now)
        }
    }

    /// Journals the refusal of a download with the task whose function takes it.
    mutating func noteRefusedDownload(
        for identifier: TaskIdentifier,
        of plugin: PluginIdentifier,
        because refusal: SubmissionRefusal,
        at now: Moment
    ) {
        let entry = JournalEntry(
            at: now.wall,
            event: .downloadRefused,
            plugin: plugin,
            label: identifier.text,
            blame: .nobody,
            message: "a download for the function was refused, and its argument is NULL: \(refusal)"
        )
        note(entry)
    }

    /// Lets a request that was placed wait for the open downloads of its function.
    mutating func awaitDownloads(of request: PendingRequest, at now: Moment) {
        guard hasFunctions(request.plugin), request.request.kind != .transfer else { return }
        beginDownloads(for: request, at: now)
        noteDownloads(for: request.request.identifier, of: request.plugin)
    }

    /// Begins the downloads that the last host had not begun, or that a changed manifest adds, and lets the requests
    /// wait for the open ones.
    mutating func resumeDownloads(of plugin: PluginIdentifier, at now: Moment) {
        guard hasFunctions(plugin) else { return }
        for request in plugins[plugin].requests.requests() { awaitDownloads(of: request, at: now) }
    }

    /// Considers the request whose function awaits a download, after the end of the download or the failure of its
    /// acceptance.
    mutating func downloadEnded(_ transfer: Transfer, at now: Moment) {
        guard hasFunctions(transfer.plugin), let identifier = transfer.label.flatMap({ TaskIdentifier($0) }) else {
            return
        }
        noteDownloads(for: identifier, of: transfer.plugin)
        takeFilesWithoutRequest(for: identifier, .processing, of: transfer.plugin)
        considerRequests(of: transfer.plugin, at: now)
    }

    private mutating func noteDownloads(for identifier: TaskIdentifier, of plugin: PluginIdentifier) {
        let open = transfers[plugin]
        let isOpen = downloads(of: identifier, plugin)
            .compactMap { TransferDescription(argument: $0.key, of: identifier, from: $0.value) }
            .contains { open?.contains($0) == true }
        plugins[plugin].requests.setAwaitsDownload(identifier, isOpen)
    }

    // MARK: Files

    /// The newest file for an argument of a function; nil without one, such as after a failed download. The file stays
    /// while the request waits, also after the retention of transfers.
    private func file(of description: TransferDescription, _ plugin: PluginIdentifier) -> String? {
        untakenFiles[plugin]?.newest(as: description)?.file
    }

    /// The files for the bound functions of a launch.
    func files(ofFunctionsIn plan: LaunchPlan) -> [TaskIdentifier: [Int: String]] {
        let tasks = Set(plan.tasks.compactMap(\.work.identifier))
        return plan.plugin.handlers.reduce(into: [:]) { files, handler in
            guard tasks.contains(handler.identifier) else { return }
            for (position, url) in handler.downloads {
                guard let description = TransferDescription(argument: position, of: handler.identifier, from: url),
                    let file = file(of: description, plan.plugin.identifier)
                else { continue }
                files[handler.identifier, default: [:]][position] = file
            }
        }
    }

    /// The ended downloads for the function of a task whose files are not taken.
    func numbers(
        ofFilesFor identifier: TaskIdentifier,
        _ kind: TaskKind,
        of plugin: PluginIdentifier
    ) -> [SubmissionNumber] {
        guard kind != .transfer, hasFunctions(plugin) else { return [] }
        return untakenFiles[plugin]?.numbers(labelled: identifier.text) ?? []
    }

    /// The changes that delete the records of ended downloads for the arguments of a function, except those with an
    /// untaken file. The end of their sessions has no event that would delete them.
    func droppingDownloads(before request: PendingRequest) -> [LedgerChange] {
        let positions = downloads(of: request.request.identifier, request.plugin).keys.sorted()
        return positions.compactMap(TransferSession.argument).map { session in
            .dropTransfers(request.plugin, session, before: request.number)
        }
    }

    /// Applies the taking of files that is on disk.
    mutating func forgetFiles(_ taken: [SubmissionNumber], of plugin: PluginIdentifier) {
        if taken.isEmpty { return }
        for number in taken { untakenFiles[plugin]?.remove(number) }
        dropEmptyCount(of: plugin)
        emit(.sweepTransfers(plugin))
    }

    /// Takes the files for a task without a request, which no function gets any more: the request was cancelled or has
    /// lapsed, perhaps before the download ended.
    mutating func takeFilesWithoutRequest(for identifier: TaskIdentifier, _ kind: TaskKind, of plugin: PluginIdentifier)
    {
        let taken = numbers(ofFilesFor: identifier, kind, of: plugin)
        if taken.isEmpty || isPendingOrRunning(identifier, of: plugin) { return }
        keep(taken.map { .takeTransfer(plugin, $0) })
        forgetFiles(taken, of: plugin)
    }

    /// The changes that take the files of a task that ends and is not requeued. A pending newer request has no file of
    /// an older one: the commit that stored it has taken them.
    mutating func takingFiles(of work: PendingWork) -> [LedgerChange] {
        let plugin = work.plugin
        guard let identifier = work.identifier else { return [] }
        let taken = numbers(ofFilesFor: identifier, work.kind, of: plugin)
        if taken.isEmpty || plugins[plugin].requests.number(of: identifier) != nil { return [] }
        for number in taken { untakenFiles[plugin]?.remove(number) }
        dropEmptyCount(of: plugin)
        return taken.map { .takeTransfer(plugin, $0) }
    }
}

extension TransferDescription {
    /// The download for an argument of a function; nil when no session can have the position.
    fileprivate init?(argument position: Int, of identifier: TaskIdentifier, from url: String) {
        guard let session = TransferSession.argument(position) else { return nil }
        self.init(direction: .download, session: session, label: identifier.text, url: url)
    }
}

extension Transfer {
    /// Whether the transfer fetches the file for the same argument of a function from the same URL. A changed manifest
    /// may name another URL for the argument, or move the argument to another position.
    func isDownload(as description: TransferDescription) -> Bool {
        session == description.session && label == description.label && url == description.shownURL
    }
}
