// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// What code for Apple's platforms must not do, and what ends its process there too.
///
/// The host has recorded the violation by then: the call that made it returns after the message was sent.
enum ProgrammingError {
    static func end(_ message: String) -> Never {
        fatalError("BackgroundTasks: \(message)")
    }
}
