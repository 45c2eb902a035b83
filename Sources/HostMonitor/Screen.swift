// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The terminal of a live display: its size, its events and its keyboard mode.
package struct Screen: Sendable {
    package struct Size: Hashable, Sendable {
        package let columns: Int
        package let rows: Int

        package init(columns: Int, rows: Int) {
            self.columns = columns
            self.rows = rows
        }
    }

    package enum Event: Hashable, Sendable {
        case resized
        /// The user pressed Ctrl-Z, to return to the shell for a while.
        case suspended
        /// The display has to end, because of the key `q` or a signal.
        case left
    }

    package var size: @Sendable () -> Size
    package var events: @Sendable () -> AsyncStream<Event>
    /// Changes the keyboard mode. With true, each key is delivered at once and without echo. With false, the mode from
    /// before the last call with true is restored.
    package var takeKeys: @Sendable (Bool) -> Void
    /// Stops the process, as Ctrl-Z does. Returns when the user continues it.
    package var suspend: @Sendable () -> Void

    package init(
        size: @escaping @Sendable () -> Size,
        events: @escaping @Sendable () -> AsyncStream<Event>,
        takeKeys: @escaping @Sendable (Bool) -> Void,
        suspend: @escaping @Sendable () -> Void
    ) {
        self.size = size
        self.events = events
        self.takeKeys = takeKeys
        self.suspend = suspend
    }
}
