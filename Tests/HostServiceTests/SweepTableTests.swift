// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import HostService

@Suite("One sweep of a plugin's staging directory runs at a time")
struct SweepTableTests {
    private let sweeps = SweepTable()

    @Test func `any number of requests during a sweep repeat it once`() throws {
        let plugin = try #require(PluginIdentifier("com.example.a"))
        #expect(sweeps.begin(plugin))
        for _ in 1...3 { #expect(!sweeps.begin(plugin)) }
        #expect(sweeps.end(plugin))
        #expect(!sweeps.end(plugin))
        #expect(sweeps.begin(plugin))
    }

    @Test func `the sweep of one plugin does not delay that of another`() throws {
        #expect(sweeps.begin(try #require(PluginIdentifier("com.example.a"))))
        #expect(sweeps.begin(try #require(PluginIdentifier("com.example.b"))))
    }
}
