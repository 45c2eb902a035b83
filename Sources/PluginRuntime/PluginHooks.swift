// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import TaskModel

/// The optional functions of the plugin, read once when entry has returned.
// Unchecked: the addresses belong to the plugin and are never dereferenced here. The ABI allows their use on any
// thread.
struct PluginHooks: @unchecked Sendable {
    private let plugin: bgt_plugin

    init(_ plugin: bgt_plugin) { self.plugin = plugin }

    var offersReceive: Bool { plugin.receive != nil }

    var offersMain: Bool { plugin.run_main != nil }

    /// The quiet period that the plugin asks for at the end of the launch; zero for none.
    var quietPeriod: Duration { .nanoseconds(Int64(min(plugin.quiet_ns, BGTASK_QUIET_MAX))) }

    func receive(_ event: bgt_task) { plugin.receive?(plugin.context, HostTable.address, event) }

    func runMain() { plugin.run_main?(plugin.context, HostTable.address) }

    func stop() { plugin.stop?(plugin.context, HostTable.address) }
}
