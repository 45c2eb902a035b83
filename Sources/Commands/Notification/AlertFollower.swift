// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import TaskModel

/// Follows the journal and the state of a host, and keeps the alerts in the state file until they are delivered. It
/// connects again when the host restarts.
actor AlertFollower {
    private let rules: AlertProgress.Rules
    private let file: AlertStateFile
    private var progress: AlertProgress
    /// The content of the state file; nil before the first write.
    private var written: AlertProgress?
    /// The failure to write the state file, which ends the command.
    private var failure: CommandFailure?
    private let wakeUps: AsyncStream<Void>.Continuation
    private var isConnected = true
    private var hasComparedPlugins = false

    /// Time between two readings of the state of the host. A host that cannot write its ledger journals nothing.
    static let statusInterval = Duration.seconds(60)
    /// Delay before the first new connection, which doubles up to `longestDelay`.
    static let delay = Duration.seconds(1)
    static let longestDelay = Duration.seconds(30)

    /// - Parameter wakeUps: gets an element whenever a message may have to be delivered.
    init(
        _ rules: AlertProgress.Rules,
        _ file: AlertStateFile,
        wakeUps: AsyncStream<Void>.Continuation
    ) throws {
        (self.rules, self.file, self.wakeUps) = (rules, file, wakeUps)
        progress = try file.read()
    }

    // MARK: The host

    /// Follows the journal until the calling task is cancelled. Throws when the host refuses the call.
    func followJournal(of client: ControlClient) async throws {
        var delay = Self.delay
        while true {
            do throws(ControlError) {
                connect(newest: try await client.journalPage(JournalQuery(limit: 1)).last)
                try await comparePlugins(with: client)
                let feed = try await client.followJournal(after: progress.number, filter: rules.filter)
                delay = Self.delay
                for try await line in feed { take(line) }
            } catch {
                try Task.checkCancellation()
                if case .refused(let status, _) = error, status < 500 { throw error }
                disconnect(error)
            }
            try await CommandContext.current.pause(delay)
            delay = min(Self.longestDelay, delay * 2)
        }
    }

    /// Follows the notifications of alert pushes until the calling task is cancelled. Throws when the host refuses the
    /// call. The messages about lost connections are those of the journal.
    func followNotifications(of client: ControlClient) async throws {
        var delay = Self.delay
        while true {
            do throws(ControlError) {
                let newest = try await client.notificationPage(NotificationQuery(limit: 1)).last
                if progress.notification.map({ newest < $0 }) ?? false { progress.notification = 0 }
                progress.notification = progress.notification ?? newest
                let feed = try await client.followNotifications(after: progress.notification)
                delay = Self.delay
                for try await line in feed { note(progress.take(line, by: rules)) }
            } catch {
                try Task.checkCancellation()
                if case .refused(let status, _) = error, status < 500 { throw error }
            }
            try await CommandContext.current.pause(delay)
            delay = min(Self.longestDelay, delay * 2)
        }
    }

    /// Reads the state of the host once per interval, until the calling task is cancelled.
    func followState(of client: ControlClient) async throws {
        while true {
            if let host = try? await client.host() {
                note(progress.take(host, by: rules, at: CommandContext.current.now()))
            }
            try Task.checkCancellation()
            try await CommandContext.current.pause(Self.statusInterval)
        }
    }

    private func connect(newest: Int64) {
        progress.begin(newest: newest)
        note([])
        if !isConnected {
            CommandContext.current.writeMessage("following the journal of the host at \(rules.host) again")
        }
        isConnected = true
    }

    /// Writes a remark about each plugin of `--plugin` that the host does not know, once. It is no error: a plugin may
    /// be installed later, and an upgrade may be replacing it at this moment.
    private func comparePlugins(with client: ControlClient) async throws(ControlError) {
        if hasComparedPlugins || rules.selection.plugins.isEmpty { return }
        let list = try await client.plugins()
        if list.isPartial { return }
        hasComparedPlugins = true
        let installed = list.plugins.map(\.identifier)
        let known = Set(installed + list.refused.compactMap(\.identifier))
        for plugin in rules.selection.plugins.map(\.text).sorted() where !known.contains(plugin) {
            let nearest = NearestWord.to(plugin, among: installed)
            let remedy = nearest.map { "; " + NearestWord.remedy(nearest: $0, meaning: "plugin") } ?? ""
            CommandContext.current.writeMessage(
                "no plugin \(plugin) is installed, and its alerts are reported after its installation\(remedy)"
            )
        }
    }

    private func take(_ line: JournalLine) {
        note(progress.take(line, by: rules, at: CommandContext.current.now()))
    }

    private func disconnect(_ error: ControlError) {
        if isConnected { CommandContext.current.writeMessage("\(error); trying again until a host answers") }
        isConnected = false
    }

    // MARK: Deliveries

    /// The message to deliver now; nil when none is due.
    func due() -> AlertMessage? {
        let now = CommandContext.current.now()
        note(progress.collect(by: rules, at: now), wakesUp: false)
        return progress.queue.due(at: now)
    }

    /// Time until `due` may return a message; nil until the next element of `wakeUps`.
    func pause() -> Duration? {
        progress.next.map { max(.milliseconds(1), $0 - CommandContext.current.now()) }
    }

    func settle(_ message: AlertMessage, _ outcome: DeliveryQueue.Outcome) {
        let remark = progress.settle(message, outcome, at: CommandContext.current.now())
        note(remark.map { [$0] } ?? [], wakesUp: false)
    }

    /// Throws the failure to write the state file, if there is one.
    func check() throws { if let failure { throw failure } }

    /// Writes the state file after a change, and the remarks about the change.
    private func note(_ remarks: [String], wakesUp: Bool = true) {
        for remark in remarks { CommandContext.current.writeMessage(remark) }
        if progress == written { return }
        do {
            try file.write(progress)
            written = progress
        } catch {
            failure = error as? CommandFailure ?? CommandFailure(.refused, "\(error)")
        }
        if wakesUp { wakeUps.yield() }
    }
}
