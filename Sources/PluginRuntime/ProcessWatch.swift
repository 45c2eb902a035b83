// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import TaskModel

/// A snapshot of process-wide state that a plugin must not change (BGT-ABI-16). A later comparison reports the changes;
/// none is undone.
// Unchecked: the addresses of signal handlers are compared, never called.
final class ProcessWatch: @unchecked Sendable {
    /// Addresses of the signal handlers as the runner set them, or as the runtime of Go set them before entry returned.
    private var handlers: [UnsafeRawPointer?]
    private let directory: String?
    /// The process's umask in octal; nil where /proc cannot be read.
    private let fileMask: String?
    /// The files behind the descriptors 0 to 2.
    private let streams: [FileKey?]

    /// Takes the snapshot of signal handlers, working directory, umask and standard streams. Called after this process
    /// has set up its own state and before any plugin code is mapped.
    init() {
        handlers = Self.handlers()
        directory = Self.directory()
        fileMask = Self.fileMask()
        streams = Self.streamNames.indices.map { FileKey(of: CInt($0)) }
    }

    /// Accepts the handlers of crash signals and of SIGPIPE that the language runtime of Go has set by now. Such a
    /// handler calls the runner's handler. Called on the main thread, when entry has returned.
    func acceptRuntimes() {
        for (index, signal) in Self.signals.enumerated()
        where CrashReporter.signals.contains(signal) || signal == SIGPIPE {
            var action = sigaction()
            sigaction(signal, nil, &action)
            let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: UnsafeRawPointer?.self)
            // The search for the library of the runner's own handler would go through the directories of the system.
            if handler != handlers[index], Self.isOfLanguageRuntime(handler) { handlers[index] = handler }
        }
    }

    /// Whether the signal handler lies in a library with Go's runtime, whose handlers call the runner's earlier
    /// handler. Whether any other handler calls it could be observed only by a crash.
    private static func isOfLanguageRuntime(_ handler: UnsafeRawPointer?) -> Bool {
        guard let handler else { return false }
        return bgl_library_has(handler, "crosscall2") == 1
    }

    /// Descriptions of all differences from the snapshot, each with its remedy.
    func changes() -> [(kind: ViolationKind, message: String)] {
        var changes: [(ViolationKind, String)] = []
        for (signal, (before, now)) in zip(Self.signals, zip(handlers, Self.handlers())) where before != now {
            let harm =
                CrashReporter.signals.contains(signal)
                ? "or the journal cannot locate a crash"
                : signal == SIGPIPE
                    ? "or a write to a closed pipe can end the process" : "because the host decides when a launch ends"
            let handler = "the handler of \(signalName(signal))"
            changes.append(
                (.changedSignalHandler, "\(handler) was replaced; leave the runner's handler in place, \(harm)")
            )
        }
        if let now = Self.directory(), let directory, now != directory {
            let remedy = "do not change it, and use absolute paths, such as the container's"
            changes.append((.changedDirectory, "the working directory became \"\(now)\"; \(remedy)"))
        }
        if let now = Self.fileMask(), let fileMask, now != fileMask {
            let remedy = "do not change it, and pass modes to open and mkdir instead"
            changes.append((.changedUmask, "the umask became \(now); \(remedy)"))
        }
        return changes + streamChanges()
    }

    private func streamChanges() -> [(kind: ViolationKind, message: String)] {
        zip(Self.streamNames, streams).enumerated().compactMap { descriptor, stream in
            guard let before = stream.1, FileKey(of: CInt(descriptor)) != before else { return nil }
            // One message for both: another thread may have opened a file in the place of a closed one.
            let change = "descriptor \(descriptor) (\(stream.0)) was closed or replaced"
            return (.changedStream, "\(change); leave it open, and use descriptors that the plugin opens")
        }
    }

    private static let streamNames = ["stdin", "stdout", "stderr"]

    /// The signals that the calling thread blocks.
    static func blockedSignals() -> [Int32] {
        var blocked = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &blocked)
        return (1...64).filter { sigismember(&blocked, $0) == 1 }
    }

    /// The signals whose handlers are checked for changes by the plugin: the runner sets all of them.
    private static let signals = CrashReporter.signals + [SIGTERM, SIGINT, SIGHUP, SIGPIPE]

    private static func handlers() -> [UnsafeRawPointer?] {
        signals.map { signal in
            var action = sigaction()
            sigaction(signal, nil, &action)
            return unsafeBitCast(action.__sigaction_handler.sa_handler, to: UnsafeRawPointer?.self)
        }
    }

    private static func directory() -> String? {
        guard let path = getcwd(nil, 0) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    // `umask` returns the mask only by setting another one, which would affect a file that another thread creates at
    // that moment.
    //
    // The file is read as bytes: with strings this took 3 % of the processor time of a runner.
    private static func fileMask() -> String? {
        let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let text = [UInt8](unsafeUninitializedCapacity: 256) { buffer, filled in
            filled = max(0, read(file, buffer.baseAddress, buffer.count))
        }
        // The second line, after the name of the process: "Umask:", a tab, and the digits.
        let lines = text.split(separator: UInt8(ascii: "\n"), maxSplits: 2)
        guard lines.count == 3, lines[1].starts(with: "Umask:\t".utf8) else { return nil }
        return String(decoding: lines[1].dropFirst("Umask:\t".utf8.count), as: UTF8.self)
    }
}
