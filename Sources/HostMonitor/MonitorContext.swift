// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TerminalText

/// The environment, clock and streams of the process that shows a monitor.
package struct MonitorContext: Sendable {
    let environment: [String: String]
    /// The present time and the time zone for display.
    let reader: @Sendable () -> Reader
    let write: @Sendable (String) throws -> Void
    /// A stream with one element for each request of the user to end the monitor.
    let interruptions: @Sendable () -> AsyncStream<Void>
    /// The terminal; nil when standard output is not a terminal.
    let screen: @Sendable () -> Screen?

    package init(
        environment: [String: String],
        reader: @escaping @Sendable () -> Reader,
        write: @escaping @Sendable (String) throws -> Void,
        interruptions: @escaping @Sendable () -> AsyncStream<Void>,
        screen: @escaping @Sendable () -> Screen?
    ) {
        self.environment = environment
        self.reader = reader
        self.write = write
        self.interruptions = interruptions
        self.screen = screen
    }
}
