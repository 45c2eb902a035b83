// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import Synchronization

/// Starts detached threads of this process. Each has a name, and an alternate stack for the report of its crash.
enum WorkerThread {
    // The argument of a new thread, which takes the only reference.
    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Starts a detached thread.
    ///
    /// - Returns: false when no thread can be started.
    static func start(named name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return false }
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // The size that bgtask.h states: the default depends on the limits of the host's service.
        pthread_attr_setstacksize(&attributes, 8 << 20)

        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var thread = pthread_t()
        beginning.add(1, ordering: .acquiringAndReleasing)
        guard pthread_create(&thread, &attributes, runWorkerThread, start.toOpaque()) == 0 else {
            beginning.subtract(1, ordering: .acquiringAndReleasing)
            start.release()
            return false
        }
        return true
    }

    /// Kernel thread IDs of the worker threads whose body runs now. Threads whose ID could not be read from /proc are
    /// missing.
    static var numbers: Set<pid_t> { living.withLock { $0 } }

    /// The number of created threads that have not begun to run. On a busy machine a thread may wait long for its first
    /// turn, and its ID is unknown until then.
    static var countBeginning: Int { beginning.load(ordering: .acquiring) }

    private static let living = Mutex<Set<pid_t>>([])
    private static let beginning = Atomic(0)

    /// Kernel thread ID of the calling thread, read from /proc because the Glibc module has no gettid; nil where /proc
    /// cannot be read.
    private static var currentNumber: pid_t? {
        let link = [CChar](unsafeUninitializedCapacity: 64) { buffer, filled in
            guard let start = buffer.baseAddress else { return }
            filled = max(0, readlink("/proc/thread-self", start, buffer.count))
        }
        // PROCESS/task/THREAD
        let text = String(decoding: link.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text.split(separator: "/").last.flatMap { pid_t($0) }
    }

    fileprivate static func run(_ argument: UnsafeMutableRawPointer) {
        let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        setName(start.name)
        AlternateStack.install()
        let number = currentNumber
        if let number { living.withLock { _ = $0.insert(number) } }
        beginning.subtract(1, ordering: .acquiringAndReleasing)
        start.body()
        if let number { living.withLock { _ = $0.remove(number) } }
        AlternateStack.remove()
    }

    /// Names the calling thread by the last 15 bytes of `name`: the ends of identifiers differ more than their
    /// beginnings.
    static func setName(_ name: String) {
        let limit = 15
        let end = Array(name.utf8.suffix(limit))
        bgl_set_thread_name(String(decoding: end, as: UTF8.self))
    }
}

private func runWorkerThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument { WorkerThread.run(argument) }
    return nil
}

/// An alternate signal stack, on which a thread can report the overflow of its own stack.
enum AlternateStack {
    private static let size = 65_536

    /// Gives the calling thread an alternate stack of `size` bytes. Without memory for it the thread has none, and an
    /// overflow of its stack ends the process without a report.
    static func install() {
        var stack = stack_t(ss_sp: malloc(size), ss_flags: 0, ss_size: size)
        if stack.ss_sp == nil || sigaltstack(&stack, nil) != 0 { free(stack.ss_sp) }
    }

    static func remove() {
        var none = stack_t(ss_sp: nil, ss_flags: Int32(SS_DISABLE), ss_size: 0)
        var installed = stack_t()
        guard sigaltstack(nil, &installed) == 0, installed.ss_size == size, sigaltstack(&none, nil) == 0 else { return }
        free(installed.ss_sp)
    }
}
