// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Glibc
internal import LinuxSystem
internal import TaskModel

/// Signals changes in several directories, such as a complete file that was added, removed or replaced. The signal
/// contains no details, and the watch reads no file.
///
/// A directory that does not exist yet, or is removed, is watched for its creation. Changes that arrive faster than
/// they are consumed are merged. One thread sleeps in the kernel until an event arrives. The watch ends with `stop()`,
/// with its last reference, or when the consuming task is cancelled.
package final class DirectoryWatch: Sendable {
    /// The stream of changes, for one consumer.
    package let changes: AsyncStream<Void>

    private let state: DirectoryWatchState

    package init(_ directories: Set<String>) throws(DirectoryWatchError) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let state = try DirectoryWatchState()
        _ = state.watch(directories)
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
        thread.name = "directory-watch"
        thread.start()
    }

    deinit { state.stop() }

    /// Replaces the watched directories. An existing directory that was not watched before counts as a change.
    package func watch(_ directories: Set<String>) {
        if state.watch(directories) { state.wake(.changed) }
    }

    /// Signals a change on behalf of the caller, for changes that the directories do not signal.
    package func rescan() { state.wake(.changed) }

    /// Errors of directories that are not watched although they may exist.
    package var problems: [DirectoryWatchError] { state.problems }

    package func stop() { state.stop() }
}

/// The reason why one directory, or all of them, cannot be watched.
package struct DirectoryWatchError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The directory that cannot be watched; nil when the kernel offers no watches at all.
    package let directory: String?
    package let errno: Int32

    package var description: String {
        let thing = directory.map { "directory \($0.inQuotes)" } ?? "changes of directories"
        return "\(thing) cannot be watched: \(String(systemError: errno)); \(remedy)"
    }

    private var remedy: String {
        switch errno {
        case ENOSPC: "raise fs.inotify.max_user_watches, and restart the host"
        case EMFILE: "raise fs.inotify.max_user_instances or the limit of open files, and restart the host"
        case ENOMEM, ENFILE: "free memory or raise fs.file-max, and restart the host"
        case EACCES: "let the host's user read the directory, and restart the host"
        default: directory == nil ? "report this line" : "check its path and its file system"
        }
    }
}
