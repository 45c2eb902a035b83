// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks

/// A function of the plugin, its context, and the function that releases the context (BGT-ABI-13).
// Unchecked: the addresses belong to the plugin and are never dereferenced here. The ABI allows their use on any
// thread.
struct Callback<Function>: @unchecked Sendable {
    let function: Function
    let context: UnsafeMutableRawPointer?
    private let releaseFunction: bgt_release?

    init(_ function: Function, context: UnsafeMutableRawPointer?, release: bgt_release?) {
        self.function = function
        self.context = context
        releaseFunction = release
    }

    /// Releases the context. Called once, after the last use of the callback, with no lock held.
    func release() { releaseFunction?(context) }
}
