// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The terminal that a live display is on. Knows nothing of what is displayed.
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
        /// The person wants the shell back for a while.
        case suspended
        /// Somebody wants the display to end, by a key or a signal.
        case left
    }

    package var size: @Sendable () -> Size
    package var events: @Sendable () -> AsyncStream<Event>
    /// Keeps what is typed off the screen, until it is told otherwise.
    package var takeKeys: @Sendable (Bool) -> Void
    /// Returns when the person has come back.
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
