// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The cursor of a task identifier: opaque bytes of the plugin. All work before the cursor is done, so that an
/// interrupted task continues behind it.
package struct TaskCursor: Hashable, Sendable {
    /// Maximum size of a cursor in bytes; `BGTASK_CURSOR_MAX` of the header.
    package static let longest = 4_096

    package let bytes: [UInt8]
    /// Version of the plugin that wrote the cursor, as in its manifest.
    package let version: String
    package let movedAt: WallTime
    /// The submission whose task wrote the cursor.
    package let submission: SubmissionNumber
    /// Number of runs in a row that ended early without moving the cursor, from 0.
    package let standstills: Int

    package init(
        bytes: [UInt8],
        version: String,
        movedAt: WallTime,
        submission: SubmissionNumber,
        standstills: Int = 0
    ) {
        self.bytes = bytes
        self.version = version
        self.movedAt = movedAt
        self.submission = submission
        self.standstills = standstills
    }
}

/// A cursor as the ledger stores it, with the task that it belongs to.
package struct StoredCursor: Hashable, Sendable {
    package let plugin: PluginIdentifier
    package let identifier: TaskIdentifier
    package let cursor: TaskCursor

    package init(plugin: PluginIdentifier, identifier: TaskIdentifier, cursor: TaskCursor) {
        self.plugin = plugin
        self.identifier = identifier
        self.cursor = cursor
    }
}

/// The contents of a cursor that a running task has written.
package enum CursorImage: Hashable, Sendable {
    case bytes([UInt8])
    /// The task discarded its cursor: its next run begins from the start.
    case discarded
}

/// The new cursor of a running task, as a change of the ledger.
package struct CursorChange: Hashable, Sendable {
    package let plugin: PluginIdentifier
    package let identifier: TaskIdentifier
    package let launch: LaunchNumber
    package let task: TaskID
    package let submission: SubmissionNumber
    /// Version of the plugin in the launch.
    package let version: String
    package let at: WallTime
    /// Whether the cursor differs from the one with which the task began: the launch has moved it.
    package let isMovement: Bool
    /// The contents. Always nil in the scheduler; the decision loop sets the newest contents when it submits the
    /// commit. A change without contents has no effect.
    package var image: CursorImage?

    package init(
        plugin: PluginIdentifier,
        identifier: TaskIdentifier,
        launch: LaunchNumber,
        task: TaskID,
        submission: SubmissionNumber,
        version: String,
        at: WallTime,
        isMovement: Bool,
        image: CursorImage? = nil
    ) {
        self.plugin = plugin
        self.identifier = identifier
        self.launch = launch
        self.task = task
        self.submission = submission
        self.version = version
        self.at = at
        self.isMovement = isMovement
        self.image = image
    }
}
