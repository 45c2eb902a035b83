// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// The threads of this process that do not belong to the runner: threads of the plugin and its libraries, and the main
/// thread when `run_main` owns it.
struct PluginThreads {
    /// Whether the plugin offers `run_main`, so that the main thread is the plugin's.
    let includeMain: Bool

    /// Whether one of the threads runs, is runnable, or waits for a disk. A thread that was just woken for new work
    /// counts, even on a busy machine, because it is runnable. False where /proc cannot be read.
    var isAnyActive: Bool { exists(where: Self.isActive) ?? false }

    /// Whether the plugin has any thread, including the main thread with `run_main`. Without one, and without a
    /// callback, the plugin makes no further call. True where /proc cannot be read.
    var isAny: Bool { includeMain || exists { _ in true } ?? true }

    /// Whether a thread that is not the runner's satisfies `isCounted`; nil where /proc cannot be read.
    private func exists(where isCounted: (pid_t) -> Bool) -> Bool? {
        guard let directory = opendir("/proc/self/task") else { return nil }
        defer { closedir(directory) }
        let own = WorkerThread.numbers.union(includeMain ? [] : [getpid()])
        var found = 0
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
            }
            if let thread = pid_t(name), !own.contains(thread), isCounted(thread) { found += 1 }
        }
        // Read last: a runner thread that has begun meanwhile is counted as the plugin's, which costs one more check.
        return found > WorkerThread.countBeginning
    }

    private static func isActive(_ thread: pid_t) -> Bool {
        let file = open("/proc/self/task/\(thread)/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        let text = [UInt8](unsafeUninitializedCapacity: 256) { buffer, filled in
            filled = max(0, read(file, buffer.baseAddress, buffer.count))
        }
        // NUMBER (NAME) STATE ...; the name may contain any character.
        guard let end = text.lastIndex(of: UInt8(ascii: ")")), end + 2 < text.count else { return false }
        return text[end + 2] == UInt8(ascii: "R") || text[end + 2] == UInt8(ascii: "D")
    }
}
