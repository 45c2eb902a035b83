// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A function of the plugin's author whose type, as in Apple's API, does not state its thread. The API that accepts the
/// function documents the thread, and the author is responsible for thread safety.
// Unchecked: the compiler cannot verify the author's responsibility.
struct UncheckedFunction<Function>: @unchecked Sendable {
    let call: Function

    init(_ call: Function) { self.call = call }
}
