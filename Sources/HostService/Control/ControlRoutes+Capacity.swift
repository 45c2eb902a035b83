// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Scheduling
import TaskModel

// The capacity for work of a fleet.
extension ControlRoutes {
    /// The capacity for the installed plugins that the operator permits.
    func capacity() async throws -> CapacityReply {
        let fleet = facts.configuration.scheduling.fleet
        let permitted = catalogue.contents.entries.map(\.identifier).filter(fleet.permits)
        var reply = CapacityReply(lanes: [], plugins: [])
        // In several turns of the decision loop, so that other calls go on.
        for start in stride(from: 0, through: permitted.count, by: Self.itemsPerTurn) {
            let turn = permitted[start...].prefix(Self.itemsPerTurn)
            let free = try await read { scheduler, now in scheduler.freeCapacity(of: turn, at: now) }
            reply = CapacityReply(
                lanes: free.lanes.map { CapacityReply.OfLane($0.lane, free: $0.free) },
                plugins: reply.plugins + free.plugins.map(CapacityReply.OfPlugin.init)
            )
        }
        return reply
    }
}

extension CapacityReply.OfPlugin {
    fileprivate init(_ free: FreeCapacity.OfPlugin) {
        self.init(
            free.plugin,
            version: free.version,
            digest: free.digest,
            kinds: free.kinds,
            reason: free.obstacle,
            free: free.free
        )
    }
}
