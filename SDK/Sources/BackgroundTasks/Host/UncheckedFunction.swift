// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A function of the plugin's author that is passed to other threads although its type is not `Sendable`, as in Apple's
/// API. The API that accepts the function documents the thread on which it is called, and the author is responsible for
/// thread safety.
// Unchecked: the compiler cannot verify the author's responsibility.
struct UncheckedFunction<Function>: @unchecked Sendable {
    let call: Function

    init(_ call: Function) { self.call = call }
}
