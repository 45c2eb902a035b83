// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Synchronization

/// Repeats a call on a thread and a connection of its own, until it is stopped.
package final class Asker: Sendable {
    private struct State {
        var calls = Calls()
        var problem: (any Error)?
        var isStopping = false
    }

    private let state = Mutex(State())
    private let end = DispatchSemaphore(value: 0)

    /// Starts the same call again and again, each after the answer to the previous one.
    ///
    /// - Parameters:
    ///   - body: body of a POST; nil for a GET.
    ///   - pause: microseconds between an answer and the next call.
    package convenience init(_ socket: String, path: String, body: String? = nil, pause: UInt32) throws {
        try self.init(socket, pause: pause) { control, _ in
            _ = try body.map { try control.post(path, $0) } ?? control.get(path)
        }
    }

    /// Starts calls with increasing numbers, from 0, each after the end of the previous one.
    ///
    /// - Parameters:
    ///   - pause: microseconds between the end of a call and the next call.
    ///   - call: runs on the thread of the calls.
    package init(_ socket: String, pause: UInt32 = 0, _ call: @escaping @Sendable (Control, Int) throws -> Void) throws
    {
        let control = try Control(socket: socket)
        let thread = Thread { [self, connection = ConnectionBox(control)] in
            for number in 0... {
                if state.withLock({ $0.isStopping }) { break }
                do {
                    let start = monotonicNow()
                    try call(connection.control, number)
                    let end = monotonicNow()
                    state.withLock { $0.calls.add(start, end) }
                } catch {
                    state.withLock { $0.problem = error }
                    break
                }
                if pause > 0 { usleep(pause) }
            }
            end.signal()
        }
        thread.start()
    }

    /// Waits for the outstanding answer and returns all calls. Throws the error that ended the calls early.
    package func stop() throws -> Calls {
        state.withLock { $0.isStopping = true }
        end.wait()
        return try state.withLock { state in
            if let problem = state.problem { throw problem }
            return state.calls
        }
    }
}

/// A reference to a connection, to pass it to a thread.
///
/// Unchecked: passed to one thread, which alone uses the connection.
private final class ConnectionBox: @unchecked Sendable {
    let control: Control
    init(_ control: Control) { self.control = control }
}
