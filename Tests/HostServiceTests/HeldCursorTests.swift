// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import HostService

@Suite("A user sees and deletes the cursor of the plugin that holds the task identifier")
struct HeldCursorTests {
    private let holder: PluginIdentifier
    private let other: PluginIdentifier
    private let identifier: TaskIdentifier

    init() throws {
        holder = try #require(PluginIdentifier("com.example.feed"))
        other = try #require(PluginIdentifier("com.example.attic"))
        identifier = try #require(TaskIdentifier("com.example.feed.clean"))
    }

    private func cursor(of plugin: PluginIdentifier) -> StoredCursor {
        let cursor = TaskCursor(
            bytes: [1],
            version: "1.0",
            movedAt: WallTime(nanoseconds: 1),
            submission: SubmissionNumber(rawValue: 1)
        )
        return StoredCursor(plugin: plugin, identifier: identifier, cursor: cursor)
    }

    @Test func `the cursor of another plugin is not taken when the holder has none`() {
        let cursors = [cursor(of: other)]
        #expect(cursors.cursor(heldBy: holder) == nil)
        #expect((cursors + [cursor(of: holder)]).cursor(heldBy: holder) == cursor(of: holder))
    }

    @Test func `the cursor of a plugin that had the identifier is taken when no plugin holds it`() {
        #expect([cursor(of: other)].cursor(heldBy: nil) == cursor(of: other))
        #expect([StoredCursor]().cursor(heldBy: nil) == nil)
    }
}
