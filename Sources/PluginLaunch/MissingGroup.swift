// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization

/// The reason why the last started launch has no control group. Nil when it has one, before the first launch, and where
/// launches have no control groups. Safe to use from any thread.
final class MissingGroup: Sendable {
    private let state = Mutex<String?>(nil)

    var cause: String? { state.withLock { $0 } }

    func set(_ cause: String?) { state.withLock { $0 = cause } }
}
