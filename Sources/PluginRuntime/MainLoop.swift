// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization

/// The order between the call of the plugin's `run_main` and the call of its `stop`: `run_main` is called first or
/// never.
final class MainLoop: Sendable {
    private enum Phase {
        case due
        case begun
        case skipped
    }

    private let phase = Mutex(Phase.due)

    /// Marks `run_main` as called.
    ///
    /// - Returns: whether to call it; false when the launch already ends.
    func begin() -> Bool {
        phase.withLock { phase in
            guard phase == .due else { return false }
            phase = .begun
            return true
        }
    }

    /// Prevents a call of `run_main` that has not begun. Called before `stop`.
    func skip() {
        phase.withLock { if $0 == .due { $0 = .skipped } }
    }
}
