// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// An item that the queue gave to this host: the request, and the claim under which it runs.
package struct FleetItem: Hashable, Sendable {
    package let claim: Claim
    package let plugin: PluginIdentifier
    /// The request. Its earliest begin and its deadline are wall-clock times of the submission.
    package let request: TaskRequest
    package let payload: [UInt8]?
    /// The cursor of the last run on another host; nil for a first run.
    package let cursor: [UInt8]?

    package init(
        claim: Claim,
        plugin: PluginIdentifier,
        request: TaskRequest,
        payload: [UInt8]? = nil,
        cursor: [UInt8]? = nil
    ) {
        self.claim = claim
        self.plugin = plugin
        self.request = request
        self.payload = payload
        self.cursor = cursor
    }

    /// The pair of which a host holds at most one claim.
    package var key: Key { Key(plugin: plugin, identifier: request.identifier) }

    /// A plugin and one of its task identifiers.
    package struct Key: Hashable, Sendable {
        package let plugin: PluginIdentifier
        package let identifier: TaskIdentifier

        package init(plugin: PluginIdentifier, identifier: TaskIdentifier) {
            self.plugin = plugin
            self.identifier = identifier
        }
    }
}

/// A campaign that the host has not joined: an item for each host of a group.
package struct Campaign: Hashable, Sendable {
    package let number: Int64
    /// The interval over which the hosts begin, from the campaign's earliest begin.
    package let spread: Duration

    package init(number: Int64, spread: Duration) {
        self.number = number
        self.spread = spread
    }
}
