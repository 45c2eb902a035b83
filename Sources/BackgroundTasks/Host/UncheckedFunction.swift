// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A function of the plugin's author, as Apple's API takes it: with a type that says nothing of threads. On which one it
/// runs is documented where it is taken, and its author has seen to it.
// No proof but that one: the compiler cannot see what the author promises.
struct UncheckedFunction<Function>: @unchecked Sendable {
    let call: Function

    init(_ call: Function) { self.call = call }
}
