// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI
import ControlClient
import Foundation

// Reports of a plugin under test while it runs.
extension HostFixture {
    /// The lines that the plugin wrote for the test, in the file `notes` of its container.
    package func notes(_ plugin: TestPlugin) -> [String] {
        containerText(plugin, "notes").split(separator: "\n").map(String.init)
    }

    /// Waits until the plugin has written a line that contains the note.
    package func wait(for note: String, of plugin: TestPlugin) async throws {
        try await withDeadline(waitingFor: "\(plugin.identifier) to note \"\(note)\"") { [self] in
            while !notes(plugin).contains(where: { $0.contains(note) }) {
                // Slows the loop down, and fails after the host has ended.
                _ = try await client.journal(limit: 1)
                try Task.checkCancellation()
            }
        }
    }

    /// Waits until the task runs and its listing matches, and returns the listing.
    package func running(
        _ task: String,
        where fits: @escaping @Sendable (TaskListReply.Running) -> Bool
    ) async throws -> TaskListReply.Running {
        try await withDeadline(waitingFor: "\(task) to run") { [self] in
            while true {
                let running = try await client.tasks().running
                if let found = running.first(where: { $0.task == task && fits($0) }) { return found }
                try Task.checkCancellation()
            }
        }
    }
}
