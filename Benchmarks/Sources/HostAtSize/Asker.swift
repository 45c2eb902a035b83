// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Measuring
import Synchronization

/// Repeats the same call on a thread and a connection of its own, until it is stopped.
final class Asker: Sendable {
    private struct State {
        var times: [Int64] = []
        var problem: (any Error)?
        var isStopping = false
    }

    private let state = Mutex(State())
    private let end = DispatchSemaphore(value: 0)

    /// Starts the calls, each after the answer to the previous one.
    ///
    /// - Parameters:
    ///   - body: body of a POST; nil for a GET.
    ///   - pause: microseconds between an answer and the next call.
    init(_ socket: String, path: String, body: String? = nil, pause: UInt32) throws {
        let control = try Control(socket: socket)
        let thread = Thread { [self, connection = ConnectionBox(control)] in
            while !state.withLock({ $0.isStopping }) {
                do {
                    let start = monotonicNow()
                    _ = try body.map { try connection.control.post(path, $0) } ?? connection.control.get(path)
                    let time = monotonicNow() - start
                    state.withLock { $0.times.append(time) }
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

    /// Waits for the outstanding answer and returns the times of all answers. Throws the error that ended the calls
    /// early.
    func stop() throws -> Distribution {
        state.withLock { $0.isStopping = true }
        end.wait()
        return try state.withLock { state in
            if let problem = state.problem { throw problem }
            return Distribution(state.times)
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
