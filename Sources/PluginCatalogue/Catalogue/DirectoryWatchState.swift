// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
internal import LinuxSystem
internal import Synchronization

/// The inotify part of a directory watch: the watched directories, and the interpretation of events.
final class DirectoryWatchState: Sendable {
    /// A message to the thread that waits for events.
    enum Call: UInt8 {
        case changed
        case stop
    }

    /// One directory with an inotify watch.
    private struct Watch {
        let directory: String
        /// Whether the files of the directory matter. Otherwise it is watched only as the parent of missing
        /// directories.
        var isWanted = false
        /// Names of missing subdirectories that lead to a wanted directory.
        var awaited: Set<String> = []
    }

    private struct Contents {
        var directories: Set<String> = []
        var watches: [Int32: Watch] = [:]
        var problems: [DirectoryWatchError] = []
        var isStopped = false

        var present: Set<String> { Set(watches.values.filter(\.isWanted).map(\.directory)) }
    }

    // Without IN_MODIFY: a file that is being written is not complete. IN_CREATE only serves directories and links.
    private static let events = UInt32(
        IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_CREATE
            | IN_ATTRIB | IN_ONLYDIR
    )

    private let notifier: CInt
    private let callReader: CInt
    private let callWriter: CInt
    private let contents = Mutex(Contents())

    init() throws(DirectoryWatchError) {
        notifier = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard notifier >= 0 else { throw DirectoryWatchError(directory: nil, errno: errno) }
        var ends: [CInt] = [-1, -1]
        // A socket pair, because it is close-on-exec from the start.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            let error = errno
            close(notifier)
            throw DirectoryWatchError(directory: nil, errno: error)
        }
        (callReader, callWriter) = (ends[0], ends[1])
    }

    deinit {
        close(notifier)
        close(callReader)
        close(callWriter)
    }

    var problems: [DirectoryWatchError] { contents.withLock { $0.problems } }

    /// Replaces the watched directories. Returns whether an existing directory was not watched before.
    func watch(_ directories: Set<String>) -> Bool {
        contents.withLock { contents in
            let before = contents.present
            contents.directories = directories
            rearm(&contents)
            return !contents.present.isSubset(of: before)
        }
    }

    func stop() {
        let isFirst = contents.withLock { contents in
            defer { contents.isStopped = true }
            return !contents.isStopped
        }
        if isFirst { wake(.stop) }
    }

    func wake(_ call: Call) {
        var byte = call.rawValue
        while write(callWriter, &byte, 1) < 0, errno == EINTR {}
    }

    // MARK: The waiting thread

    struct Wakening {
        var hasChanged = false
        var isLast = false
    }

    /// Blocks until the kernel reports an event of a directory, a `Call` arrives, or a signal interrupts the wait.
    /// `changed` counts as an event, and `stop` makes the result the last one. Events that precede the stop are
    /// reported with it.
    func waitForEvents() -> Wakening {
        var sources = [
            pollfd(fd: notifier, events: Int16(POLLIN), revents: 0),
            pollfd(fd: callReader, events: Int16(POLLIN), revents: 0),
        ]
        var wakening = Wakening()
        guard poll(&sources, nfds_t(sources.count), -1) > 0 else {
            wakening.isLast = errno != EINTR
            return wakening
        }
        if sources[1].revents != 0 {
            var byte: UInt8 = 0
            let isRead = read(callReader, &byte, 1) == 1
            wakening.hasChanged = isRead && byte == Call.changed.rawValue
            wakening.isLast = !wakening.hasChanged
        }
        // Read regardless of `poll`: an event may arrive just after it, and the stop must not overtake that event.
        if readEvents() { wakening.hasChanged = true }
        return wakening
    }

    private func readEvents() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
            let count = read(notifier, buffer.baseAddress, buffer.count)
            guard count > 0 else { return false }
            return contents.withLock { contents in
                handle(UnsafeRawBufferPointer(rebasing: buffer[..<count]), &contents)
            }
        }
    }

    private func handle(_ events: UnsafeRawBufferPointer, _ contents: inout Contents) -> Bool {
        let before = contents.present
        var hasChanged = false
        var mustRearm = false
        var offset = 0
        let headerSize = MemoryLayout<inotify_event>.size
        while offset + headerSize <= events.count {
            let event = events.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let nameEnd = min(events.count, offset + headerSize + Int(event.len))
            let name = String(decoding: events[offset + headerSize..<nameEnd].prefix { $0 != 0 }, as: UTF8.self)
            offset = nameEnd

            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                (hasChanged, mustRearm) = (true, true)
            } else if let watch = contents.watches[event.wd] {
                if matters(event.mask, name, in: watch) { hasChanged = true }
                if movesDirectory(event.mask, name, in: watch) { mustRearm = true }
                // The kernel has removed the watch; its number is never reused.
                if event.mask & UInt32(IN_IGNORED) != 0 { contents.watches[event.wd] = nil }
            }
        }
        if mustRearm { rearm(&contents) }
        return hasChanged || contents.present != before
    }

    private func matters(_ mask: UInt32, _ name: String, in watch: Watch) -> Bool {
        guard watch.isWanted else { return false }
        if mask & UInt32(IN_CREATE) != 0 { return isCompleteLink(watch.directory + "/" + name) }
        return true
    }

    private func movesDirectory(_ mask: UInt32, _ name: String, in watch: Watch) -> Bool {
        if mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT) != 0 { return true }
        return mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0 && watch.awaited.contains(name)
    }

    /// Whether a path is a symbolic link or a file with several hard links. Links are complete when they are created,
    /// and cause no event of a completed write.
    private func isCompleteLink(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFLNK || (status.st_mode & S_IFMT == S_IFREG && status.st_nlink > 1)
    }

    // MARK: Watches

    private func rearm(_ contents: inout Contents) {
        var watches: [Int32: Watch] = [:]
        contents.problems = []
        for directory in contents.directories.sorted() {
            if let problem = add(directory, to: &watches) { contents.problems.append(problem) }
        }
        for number in contents.watches.keys where watches[number] == nil { inotify_rm_watch(notifier, number) }
        contents.watches = watches
    }

    /// Adds a watch for the directory or, if it is missing, for its nearest existing ancestor. Returns the error when
    /// that fails; nil for success.
    private func add(_ directory: String, to watches: inout [Int32: Watch]) -> DirectoryWatchError? {
        var path = directory
        var missing: String?
        while true {
            let number = inotify_add_watch(notifier, path, Self.events)
            if number >= 0 {
                var watch = watches[number] ?? Watch(directory: path)
                if let name = missing { watch.awaited.insert(name) } else { watch.isWanted = true }
                watches[number] = watch
                // The directory may have been created since; no event would report that.
                guard let name = missing, isDirectory(path == "/" ? "/\(name)" : "\(path)/\(name)") else { return nil }
                (path, missing) = (directory, nil)
            } else if (errno == ENOENT || errno == ENOTDIR) && path != "/" && path.contains("/") {
                missing = path.split(separator: "/").last.map(String.init)
                path = FilePlace.directory(of: path)
            } else {
                return DirectoryWatchError(directory: path, errno: errno)
            }
        }
    }

    private func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
