// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import RunnerWire
import Synchronization
import TaskModel

/// Tells the host which signal ended this process, where, and on whose thread; then lets the signal end it, so that the
/// kernel's status says the same. Catches nothing: a crash stays a crash.
enum CrashReporter {
    static let signals = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS]

    /// Before any plugin code is mapped. The calling thread gets its alternate stack, others have theirs from `WorkerThread`.
    static func install(watching tasks: RunningTasks) {
        lastWords.tasks.initialize(to: tasks)
        lastWords.process.initialize(to: getpid())
        // Once here, so that nothing is left to be set up lazily inside the signal handler.
        _ = tasks.currentTask()
        _ = isTelling.load(ordering: .relaxed)
        LastWords.store(signal: 0, address: 0, task: 0, in: lastWords.record)
        AlternateStack.install()

        var action = sigaction()
        action.__sigaction_handler.sa_sigaction = tellAndDie
        action.sa_flags = SA_SIGINFO | Int32(SA_ONSTACK)
        // A second fault inside the handler must end the process, not wait for the first one.
        sigfillset(&action.sa_mask)
        for signal in signals { sigaction(signal, &action, nil) }
    }
}

/// What the signal handler needs, at addresses that never change.
// Written before the handlers are installed; afterwards `record` belongs to the one thread that wins `isTelling`.
private struct CrashMemory: @unchecked Sendable {
    let record = UnsafeMutableRawPointer.allocate(byteCount: LastWords.recordSize, alignment: 8)
    let tasks = UnsafeMutablePointer<RunningTasks>.allocate(capacity: 1)
    let process = UnsafeMutablePointer<pid_t>.allocate(capacity: 1)
}

private let lastWords = CrashMemory()
private let isTelling = Atomic<Bool>(false)

/// Async-signal-safe throughout: atomics, stores, and system calls.
private func tellAndDie(
    _ signal: Int32,
    _ information: UnsafeMutablePointer<siginfo_t>?,
    _ context: UnsafeMutableRawPointer?
) {
    if isTelling.exchange(true, ordering: .acquiringAndReleasing) {
        // Another thread is telling its own crash and ends the process.
        while true { pause() }
    }
    var address: UInt64 = 0
    // Only the kernel's own faults have an address; a signal that was sent has its sender there.
    if let information, information.pointee.si_code > 0, signal != SIGABRT {
        address = UInt64(UInt(bitPattern: information.pointee._sifields._sigfault.si_addr))
    }
    LastWords.store(signal: signal, address: address, task: lastWords.tasks.pointee.currentTask(), in: lastWords.record)
    // A child that the plugin forked has the pipe too; its end is not the launch's.
    if getpid() == lastWords.process.pointee {
        _ = write(RunnerDescriptors.lastWords, lastWords.record, LastWords.recordSize)
    }

    var standard = sigaction()
    standard.__sigaction_handler.sa_handler = SIG_DFL
    sigaction(signal, &standard, nil)
    // Blocked until this handler returns, then fatal.
    raise(signal)
}
