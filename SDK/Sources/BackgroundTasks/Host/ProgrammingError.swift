// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Ends the process after a programming error of the plugin, as Apple's platforms do.
///
/// The error is reported to the host before `end` is called. `end` waits until the host has read the report.
enum ProgrammingError {
    static func end(_ message: String) -> Never {
        // A call with an answer: when it returns, the host has read all earlier messages of this process.
        _ = Host.current?.pending()
        fatalError("BackgroundTasks: \(message)")
    }
}
