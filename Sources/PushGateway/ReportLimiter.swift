// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization
package import TaskModel

/// Limits the messages of a gateway to one in ten seconds: a host that does not answer would else cause one for each
/// push.
package final class ReportLimiter: Sendable {
    private static let interval: Duration = .seconds(10)

    private let state = Mutex<(last: MonotonicTime?, omitted: Int)>((nil, 0))

    package init() {}

    /// The message to write, with the number of omitted ones; nil when it is omitted.
    package func message(_ text: String, at now: MonotonicTime) -> String? {
        state.withLock { state in
            if let last = state.last, now - last < Self.interval {
                state.omitted += 1
                return nil
            }
            let omitted = state.omitted
            state = (now, 0)
            return omitted == 0 ? text : "\(text) (\(omitted) messages omitted)"
        }
    }
}
