// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks

/// What the plugin offers beside its handlers, read once when entry has returned.
// The plugin's own addresses: handed back to it, never followed here. The ABI lets them be used on any thread.
struct PluginHooks: @unchecked Sendable {
    private let plugin: bgt_plugin

    init(_ plugin: bgt_plugin) { self.plugin = plugin }

    var offersReceive: Bool { plugin.receive != nil }

    var offersMain: Bool { plugin.run_main != nil }

    func receive(_ event: bgt_task) { plugin.receive?(plugin.context, HostTable.address, event) }

    func runMain() { plugin.run_main?(plugin.context, HostTable.address) }

    func stop() { plugin.stop?(plugin.context, HostTable.address) }
}
