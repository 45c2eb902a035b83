// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import TaskModel
import Testing

@testable import HostService

@Suite("The disk use of containers is measured without a change to them")
struct DiskUsageTests {
    private func times(_ path: String) -> [Int] {
        var status = stat()
        return stat(path, &status) == 0 ? [Int(status.st_mode), status.st_ctim.tv_sec, status.st_ctim.tv_nsec] : []
    }

    @Test func `a directory that its plugin has closed keeps its mode, and no statistics change it for a moment`()
        throws
    {
        let path = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID().uuidString)").path
        let state = try StateDirectory(path: path)
        let plugin = try #require(PluginIdentifier("com.example.feed"))
        try state.makeContainer(of: plugin.text)
        let closed = state.containerPath(of: plugin.text) + "/closed"
        defer {
            chmod(closed, 0o700)
            try? FileManager.default.removeItem(atPath: path)
        }
        try FileManager.default.createDirectory(atPath: closed, withIntermediateDirectories: true)
        try Data(repeating: 1, count: 100_000).write(to: URL(filePath: closed + "/file"))
        #expect(chmod(closed, 0) == 0)
        let before = times(closed)
        // The host's user is root or not: root measures closed directories as they are.
        let bytes = DiskUsage.measured(state, of: [plugin]).containers.first?.bytes
        #expect(!before.isEmpty && times(closed) == before)
        #expect(geteuid() == 0 ? (bytes ?? 0) >= 100_000 : bytes == nil)
    }
}
