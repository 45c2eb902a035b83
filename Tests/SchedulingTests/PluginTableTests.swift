// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("The plugin table is a value, although it shares the states of its plugins with its copies")
struct PluginTableTests {
    private var table: PluginTable {
        var table = PluginTable()
        for plugin in [.mail, .app] as [PluginIdentifier] { table.add(plugin, policy: PluginPolicy()) }
        return table
    }

    @Test func `a change of a plugin table does not change its copy`() {
        var table = table
        let copy = table
        table[.app].refusal = "torn"
        table[.app].refusal? += " again"
        #expect(table[.app].refusal == "torn again" && copy[.app].refusal == nil)
        #expect(table[.mail].refusal == nil)
    }

    @Test func `a copy of a plugin table keeps a plugin that was removed from the original`() {
        var table = table
        table[.app].refusal = "torn"
        let copy = table
        table.remove(.app)
        #expect(!table.contains(.app) && copy[.app].refusal == "torn")
    }

    @Test func `a plugin that is added to the table again after its removal does not have its earlier refusal`() {
        var table = table
        table[.app].refusal = "torn"
        table.remove(.app)
        table.add(.keyboard, policy: PluginPolicy())
        table[.keyboard].isOrphan = true
        table.add(.app, policy: PluginPolicy())
        #expect(table[.app].refusal == nil && !table[.app].isOrphan)
        #expect(table.names() == [.app, .keyboard, .mail])
    }
}
