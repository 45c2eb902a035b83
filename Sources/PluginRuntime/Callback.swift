// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks

/// A function of the plugin with the context that it wants back, and how the context is released (BGT-ABI-13).
// The plugin's own addresses: handed back to it, never followed here. The ABI lets them be used on any thread.
struct Callback<Function>: @unchecked Sendable {
    let function: Function
    let context: UnsafeMutableRawPointer?
    private let releaseFunction: bgt_release?

    init(_ function: Function, context: UnsafeMutableRawPointer?, release: bgt_release?) {
        self.function = function
        self.context = context
        releaseFunction = release
    }

    /// Once, after the last use, with no lock held.
    func release() { releaseFunction?(context) }
}
