// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks

/// Who takes the tasks of one identifier: what the plugin registered, or a function that its manifest binds.
enum TaskHandler: Sendable {
    case registered(Callback<bgt_handler>)
    case bound(BoundFunction)

    /// Nothing is owed to a function that knows nothing of us.
    func release() {
        if case .registered(let callback) = self { callback.release() }
    }
}
