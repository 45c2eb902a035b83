// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Measuring
import Synchronization

/// One call on a thread and a connection of its own, which may wait long for its answer.
final class SingleCall: Sendable {
    private let result = Mutex<Result<Int64, any Error>?>(nil)
    private let end = DispatchSemaphore(value: 0)

    init(_ socket: String, path: String) {
        Thread { [self] in
            let outcome = Result {
                let answer = try Control(socket: socket).get(path)
                guard !answer.contains("\"error\"") else { throw BenchmarkError("refused: \(answer)") }
                return monotonicNow()
            }
            result.withLock { $0 = outcome }
            end.signal()
        }.start()
    }

    /// Waits for the answer. May be called once.
    ///
    /// - Returns: the time of the answer on the monotonic clock, in nanoseconds.
    func answeredAt() throws -> Int64 {
        end.wait()
        return try result.withLock { try $0?.get() ?? 0 }
    }
}
