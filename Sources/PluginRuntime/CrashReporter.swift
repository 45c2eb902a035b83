// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import RunnerWire
import Synchronization
import TaskModel

/// Reports to the host the signal that ends this process, the faulting address and the task of the crashing thread. The
/// default action of the signal then ends the process, so that its exit status names the same signal. No crash is
/// caught.
enum CrashReporter {
    static let signals = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS]

    /// Installs the signal handlers. Called before any plugin code is mapped. The calling thread gets its alternate
    /// stack here; other threads of the runner get theirs from `WorkerThread`. Threads of the plugin get none.
    static func install(watching tasks: RunningTasks) {
        lastWords.tasks.initialize(to: tasks)
        lastWords.process.initialize(to: getpid())
        // First use outside the signal handler: lazy initialization is not async-signal-safe.
        _ = tasks.currentTask()
        _ = isReporting.load(ordering: .relaxed)
        LastWords.store(signal: 0, address: 0, task: 0, in: lastWords.record)
        AlternateStack.install()

        var action = sigaction()
        action.__sigaction_handler.sa_sigaction = reportAndDie
        action.sa_flags = SA_SIGINFO | Int32(SA_ONSTACK)
        // A second fault inside the handler must end the process instead of waiting for the first one.
        sigfillset(&action.sa_mask)
        for signal in signals { sigaction(signal, &action, nil) }
    }
}

/// The memory of the signal handler, at addresses that never change.
// Unchecked: written before the handlers are installed. Afterwards `record` belongs to the one thread that wins
// `isReporting`.
private struct CrashMemory: @unchecked Sendable {
    let record = UnsafeMutableRawPointer.allocate(byteCount: LastWords.recordSize, alignment: 8)
    let tasks = UnsafeMutablePointer<RunningTasks>.allocate(capacity: 1)
    let process = UnsafeMutablePointer<pid_t>.allocate(capacity: 1)
}

private let lastWords = CrashMemory()
private let isReporting = Atomic<Bool>(false)

/// The signal handler. Async-signal-safe throughout: it uses atomics, stores and system calls.
private func reportAndDie(
    _ signal: Int32,
    _ information: UnsafeMutablePointer<siginfo_t>?,
    _ context: UnsafeMutableRawPointer?
) {
    if isReporting.exchange(true, ordering: .acquiringAndReleasing) {
        // Another thread reports its own crash and ends the process.
        while true { pause() }
    }
    var address: UInt64 = 0
    // Only faults that the kernel raised have an address; for a signal that was sent, the field holds the sender.
    if let information, information.pointee.si_code > 0, signal != SIGABRT {
        address = UInt64(UInt(bitPattern: information.pointee._sifields._sigfault.si_addr))
    }
    LastWords.store(signal: signal, address: address, task: lastWords.tasks.pointee.currentTask(), in: lastWords.record)
    // A child that the plugin forked inherits the pipe; the end of that child is not the end of the launch.
    if getpid() == lastWords.process.pointee {
        _ = write(RunnerDescriptors.lastWords, lastWords.record, LastWords.recordSize)
    }

    var standard = sigaction()
    standard.__sigaction_handler.sa_handler = SIG_DFL
    sigaction(signal, &standard, nil)
    // The signal stays blocked until this handler returns; then it is fatal.
    raise(signal)
}
