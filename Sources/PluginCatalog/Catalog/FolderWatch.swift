// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Glibc
internal import LinuxSystem
internal import TaskModel

/// Tells that something in one of several folders changed: a complete file came, went, or was replaced. Says neither
/// what nor where, and reads no file.
///
/// A folder that is not there yet, or goes away, is waited for. Changes that come faster than they are taken are told
/// once. One thread sleeps in the kernel; nothing wakes it but an event. Ends with `stop()`, with the last reference,
/// or when the task that takes the changes is cancelled.
package final class FolderWatch: Sendable {
    /// For one consumer.
    package let changes: AsyncStream<Void>

    private let state: FolderWatchState

    package init(_ folders: Set<String>) throws(FolderWatchError) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let state = try FolderWatchState()
        _ = state.watch(folders)
        changes = stream
        self.state = state
        continuation.onTermination = { _ in state.stop() }
        let thread = Thread {
            while true {
                let wakening = state.waitForEvents()
                if wakening.hasChanged { continuation.yield() }
                if wakening.isLast { break }
            }
            continuation.finish()
        }
        thread.name = "folder-watch"
        thread.start()
    }

    deinit { state.stop() }

    /// Watches these folders instead; a folder that is there and was not watched before counts as a change.
    package func watch(_ folders: Set<String>) {
        if state.watch(folders) { state.wake(.changed) }
    }

    /// Tells of a change that somebody knows of and no folder has told of.
    package func lookAnew() { state.wake(.changed) }

    /// The folders that are not watched although they may be there.
    package var problems: [FolderWatchError] { state.problems }

    package func stop() { state.stop() }
}

/// Why folders, or one folder, cannot be watched.
package struct FolderWatchError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nil when no folder at all can be watched.
    package let folder: String?
    package let errno: Int32

    package var description: String {
        let thing = folder.map { "folder \($0.inQuotes)" } ?? "changes of folders"
        return "\(thing) cannot be watched: \(String(systemError: errno)); \(remedy)"
    }

    private var remedy: String {
        switch errno {
        case ENOSPC: "raise fs.inotify.max_user_watches"
        case EMFILE: "raise fs.inotify.max_user_instances or the limit of open files"
        default: "let the host's user read it"
        }
    }
}
