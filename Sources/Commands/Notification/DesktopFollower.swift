// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import LinuxSystem
import MessageBus
import TaskModel

/// The number of the last notification that was shown, from which a restarted command continues.
struct FeedProgress: Codable, Hashable {
    /// Version of the state file.
    private(set) var format = 1
    /// Nil before the first connection.
    var number: Int64?

    /// Without an earlier connection, continues after the newest notification. A newest number below that of the last
    /// shown notification belongs to another ledger, whose notifications are all shown. Returns a remark for the user
    /// about deleted notifications; nil for none.
    mutating func begin(newest: Int64, oldest: Int64?) -> String? {
        guard let shown = number else {
            number = newest
            return nil
        }
        if newest < shown { number = 0 }
        guard newest >= shown, let oldest, oldest > shown + 1 else { return nil }
        return "\(oldest - shown - 1) notifications were deleted before this command could show them"
    }
}

/// Shows the notifications of a host on the desktop of the user. It connects again when the host or the notification
/// server restarts.
actor DesktopFollower {
    private let selection: FeedSelection
    private let host: String
    private let notifier: DesktopNotifier
    private let path: String?
    private var progress: FeedProgress
    /// By plugin and topic, the number of the notification on the desktop that the next one of the topic replaces.
    private var shown: [String: UInt32] = [:]
    private var hasComplained = false

    /// Maximum number of topics that are remembered.
    private static let topics = 200

    /// - Parameter path: the state file; nil when nothing is stored.
    init(_ selection: FeedSelection, host: String, notifier: DesktopNotifier, path: String?) throws {
        (self.selection, self.host, self.notifier, self.path) = (selection, host, notifier, path)
        progress = try Self.read(path)
    }

    /// Follows the feed until the calling task is cancelled. Throws when the host refuses the call, or the state file
    /// cannot be written.
    func follow(_ client: ControlClient) async throws {
        var delay = AlertFollower.delay
        while true {
            do throws(ControlError) {
                let page = try await client.notificationPage(NotificationQuery(limit: 1))
                if let remark = progress.begin(newest: page.last, oldest: page.oldest) {
                    CommandContext.current.writeMessage(remark)
                }
                let feed = try await client.followNotifications(after: progress.number)
                delay = AlertFollower.delay
                for try await line in feed {
                    await take(line)
                    if failure != nil { break }
                }
            } catch {
                try Task.checkCancellation()
                if case .refused(let status, _) = error, status < 500 { throw error }
                complain("\(error); trying again until a host answers")
            }
            try Task.checkCancellation()
            if let failure { throw failure }
            try await CommandContext.current.pause(delay)
            delay = min(AlertFollower.longestDelay, delay * 2)
        }
    }

    /// The failure to write the state file, which ends the command.
    private var failure: CommandFailure?

    /// Shows a notification, as soon as the desktop has a notification server.
    private func take(_ line: NotificationLine) async {
        if selection.selects(line) {
            var delay = AlertFollower.delay
            while await !show(line) {
                guard (try? await CommandContext.current.pause(delay)) != nil, !Task.isCancelled else { return }
                delay = min(AlertFollower.longestDelay, delay * 2)
            }
        }
        progress.number = line.number
        store()
    }

    private func show(_ line: NotificationLine) async -> Bool {
        let key = line.topic.map { "\(line.plugin ?? "") \($0)" }
        let notification = line.onDesktop(replacing: key.flatMap { shown[$0] } ?? 0)
        let notifier = notifier
        let result: Result<UInt32, DesktopNotifier.Failure> = await withCheckedContinuation { continuation in
            // The call blocks its thread.
            Thread.detachNewThread {
                continuation.resume(
                    returning: Result { () throws(DesktopNotifier.Failure) in try notifier.show(notification) }
                )
            }
        }
        switch result {
        case .success(let number):
            hasComplained = false
            if shown.count >= Self.topics { shown = [:] }
            if let key { shown[key] = number }
            return true
        case .failure(let failure):
            complain("\(failure); trying again")
            return false
        }
    }

    /// Writes a message, once until a notification is shown again.
    private func complain(_ message: String) {
        if !hasComplained { CommandContext.current.writeMessage(message) }
        hasComplained = true
    }

    // MARK: The state file

    private static func read(_ path: String?) throws -> FeedProgress {
        guard let path, FileManager.default.fileExists(atPath: path) else { return FeedProgress() }
        do {
            let bytes = try InputFile.bytes(of: path, option: "--state", upTo: AlertStateFile.largest)
            return try WireCoding.decode(FeedProgress.self, from: Data(bytes))
        } catch is DecodingError {
            throw CommandFailure(
                .refused,
                "--state \(path) is not a state file of this command",
                remedy: "delete the file to begin after the newest notification, or name another with --state"
            )
        }
    }

    private func store() {
        guard let path else { return }
        do {
            try AtomicFile.replace(path, with: Array(try WireCoding.encode(progress)))
        } catch {
            let remedy = "give --state a file in a directory that you may write to"
            failure = CommandFailure(.refused, "\(error)", remedy: remedy)
        }
    }
}

/// The notifications that a user selects.
struct FeedSelection: Hashable {
    /// Plugins whose notifications are selected; empty for every plugin. Those about the host are always selected.
    var plugins: Set<PluginIdentifier> = []
    /// Kinds that are selected; empty for every kind.
    var kinds: Set<AlertKind> = []

    func selects(_ line: NotificationLine) -> Bool {
        let kind = line.alarm ?? AlertKind.notification.rawValue
        guard kinds.isEmpty || kinds.contains(where: { $0.rawValue == kind }) else { return false }
        guard let plugin = line.plugin, !plugins.isEmpty else { return true }
        return plugins.contains { $0.text == plugin }
    }
}

extension NotificationLine {
    /// The notification for a desktop. A host's alarm is critical, so that servers show it until the user closes it.
    func onDesktop(replacing number: UInt32) -> DesktopNotification {
        let subject = alarm == nil ? nil : [plugin, task].compactMap(\.self).joined(separator: ", ")
        let parts = [subject, subtitle, body].compactMap(\.self).filter { !$0.isEmpty }
        return DesktopNotification(
            summary: title.isEmpty ? plugin ?? "bgtask" : title,
            body: parts.joined(separator: "\n"),
            urgency: alarm == nil ? .normal : .critical,
            replacing: number
        )
    }
}
