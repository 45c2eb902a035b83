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
    func release() { releaseContext(context, with: releaseFunction) }
}

/// Calls the release function of a context in the role of a callback: a function that ends its thread is a violation.
func releaseContext(_ context: UnsafeMutableRawPointer?, with function: bgt_release?) {
    guard let function else { return }
    ThreadRole.with(.callback) { function(context) }
}
