// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks

/// The handler of an identifier: a callback that the plugin registered, or a function that the manifest binds.
enum TaskHandler: Sendable {
    case registered(Callback<bgt_handler>)
    case bound(BoundFunction)

    /// Releases the context of a registered callback. A bound function has no context.
    func release() {
        if case .registered(let callback) = self { callback.release() }
    }
}
