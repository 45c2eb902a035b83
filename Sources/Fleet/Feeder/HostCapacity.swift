// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The capacity of a host for work of the fleet that could start soon.
package struct HostCapacity: Hashable, Sendable {
    /// The plugins that the operator opened to the fleet.
    package let plugins: [Entry]

    package init(plugins: [Entry]) { self.plugins = plugins }

    /// The capacity for one plugin.
    package struct Entry: Hashable, Sendable {
        package let plugin: FleetPlugin
        /// The number of tasks that could start soon; zero while conditions, a pause or a full lane block the plugin.
        package let free: Int

        package init(plugin: FleetPlugin, free: Int) {
            self.plugin = plugin
            self.free = free
        }
    }
}

/// The answer of the host to one item of a batch.
package enum SubmissionAnswer: Hashable, Sendable {
    case accepted
    /// The host refused the item. `isPassing`: the cause is capacity or another passing obstacle. Any other cause, such
    /// as an identifier that the plugin does not permit, lasts until an operator changes the host.
    case refused(reason: String, isPassing: Bool)
}
