// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// What code for Apple's platforms must not do, and what ends its process there too.
///
/// The host has recorded the violation by then.
enum ProgrammingError {
    static func end(_ message: String) -> Never {
        // What this process said before, the host has read once it answers.
        _ = Host.current?.pending()
        fatalError("BackgroundTasks: \(message)")
    }
}
