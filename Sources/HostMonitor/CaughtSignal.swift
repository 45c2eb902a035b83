// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Dispatch sources may be used from any thread, but the Linux overlay does not declare them Sendable.
@preconcurrency import Dispatch
import Glibc
import Synchronization

/// A signal whose arrival calls a function instead of ending or stopping the process.
///
/// This type replaces Dispatch's own signal sources, which lose signals. Dispatch installs the handler of such a source
/// only after `resume` has returned, on another thread. When an earlier source existed for the same signal, Dispatch
/// installs no handler at all.
package struct CaughtSignal: Sendable {
    private let number: CInt

    private static let receivers = Mutex<[CInt: @Sendable () -> Void]>([:])

    /// Installs the handler. The signal is caught when the initializer returns.
    ///
    /// - Parameter received: called on a global queue, for each signal; signals in quick succession may cause one call.
    ///   Replaces the function of an earlier value for the same signal.
    package init(_ number: CInt, received: @escaping @Sendable () -> Void) {
        self.number = number
        Self.receivers.withLock { $0[number] = received }
        SignalPipe.open()
        signal(number) { SignalPipe.write($0) }
    }

    /// Removes the function that the signal calls. Later signals with this number are ignored.
    package func cancel() {
        signal(number, SIG_IGN)
        Self.receivers.withLock { $0[number] = nil }
    }

    fileprivate static func receive(_ number: UInt8) { receivers.withLock { $0[CInt(number)] }?() }
}

/// A pipe that carries signal numbers from the signal handlers to a queue, because handlers may only call `write`. The
/// pipe is never closed.
private enum SignalPipe {
    /// The writing end of the pipe. Signal handlers read this variable, so it must not be initialized lazily.
    nonisolated(unsafe) private static var writeEnd: CInt = -1
    private static let source: any DispatchSourceProtocol = {
        var ends: [CInt] = [-1, -1]
        // Without a pipe the source never fires, and the caught signals are ignored.
        if pipe(&ends) == 0 {
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
        }
        writeEnd = ends[1]
        let readEnd = ends[0]
        let source = DispatchSource.makeReadSource(fileDescriptor: readEnd, queue: .global())
        source.setEventHandler {
            var numbers = [UInt8](repeating: 0, count: 64)
            let count = read(readEnd, &numbers, numbers.count)
            for number in numbers.prefix(max(0, count)) { CaughtSignal.receive(number) }
        }
        source.resume()
        return source
    }()

    static func open() { _ = source }

    static func write(_ number: CInt) {
        let error = errno
        var byte = UInt8(truncatingIfNeeded: number)
        // A failed write to a full pipe loses nothing: the pipe already holds signals that have not been handled.
        _ = Glibc.write(writeEnd, &byte, 1)
        errno = error
    }
}
