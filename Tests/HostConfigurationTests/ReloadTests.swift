// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import Scheduling
import TaskModel
import Testing

@testable import HostConfiguration

@Suite("A reload applies the keys that can change at once, and names the keys that need a restart")
struct ReloadTests {
    private func configuration(_ change: (inout HostConfiguration) -> Void = { _ in }) -> HostConfiguration {
        var configuration = HostConfiguration(paths: .system, processors: 1)
        change(&configuration)
        return configuration
    }

    @Test func `an unchanged configuration has no changed keys`() {
        let reload = configuration().reloaded(as: configuration())
        #expect(reload.applied.isEmpty && reload.needingRestart.isEmpty)
    }

    @Test func `the changed keys are named in the order of the file, and only some of them apply`() throws {
        let plugin = try #require(PluginIdentifier("com.example.feed"))
        let new = configuration { configuration in
            configuration.scheduling.spacing = .seconds(7)
            configuration.scheduling.budgets.refresh = .seconds(8)
            configuration.scheduling.transfers.noProgressLimit = .seconds(9)
            configuration.scheduling.plugins[plugin] = PluginPolicy()
            configuration.scheduling.plugins[plugin]?.isEnabled = false
            configuration.controlSocket = "/elsewhere"
            configuration.scheduling.removedPluginRetention = .seconds(1)
            configuration.scheduling.transfers.retention = .seconds(1)
            configuration.settings[plugin] = ["feed": "x"]
        }
        let present = configuration()
        let reload = present.reloaded(as: new)
        #expect(reload.applied == ["budgets", "spacing", "transfers", "plugins.com.example.feed"])
        #expect(
            reload.needingRestart == ["socket", "transfers.retention", "removed-plugin-retention", "plugins.settings"]
        )
        let next = reload.configuration
        #expect(next.scheduling.spacing == .seconds(7) && next.scheduling.plugins[plugin]?.isEnabled == false)
        #expect(next.controlSocket == present.controlSocket && next.settings.isEmpty)
        #expect(next.scheduling.transfers.retention == present.scheduling.transfers.retention)
        #expect(next.scheduling.removedPluginRetention == present.scheduling.removedPluginRetention)
    }

    @Test func `a reload after the configuration file was deleted is refused with its path and a remedy`() throws {
        let present = configuration { $0.file = "/etc/bgtask/bgtaskd.yaml" }
        let problem = #expect(throws: HostError.self) { try present.checkFile(of: configuration()) }
        let message = try #require(problem?.message)
        #expect(message.hasPrefix("/etc/bgtask/bgtaskd.yaml: no longer exists"))
        #expect(message.contains("create an empty one"))
        try present.checkFile(of: present)
    }

    @Test func `a host that was started without a configuration file reads one that was created later`() throws {
        let created = configuration { $0.file = "/etc/bgtask/bgtaskd.yaml" }
        try configuration().checkFile(of: created)
        try configuration().checkFile(of: configuration())
        let next = configuration().reloaded(as: created).configuration
        #expect(throws: HostError.self) { try next.checkFile(of: configuration()) }
    }

    @Test func `every key of the configuration schema applies at once or needs a restart`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appending(path: "Documentation/schemas/configuration.schema.json")
        let schema = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        let keys = try #require(schema?["properties"] as? [String: Any]).keys
        #expect(HostConfiguration.reloadKeys == Set(keys))
    }
}
