// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Synchronization
import TaskModel

/// Holds what is taken for true about the machine: the configuration's word, under what a person scripted since.
final class ConditionsKeeper: Sendable {
    private struct Script {
        var externalPower: Bool?
        var network: Bool?
    }

    private let configured: Conditions
    private let onChange: @Sendable (Conditions) -> Void
    private let script = Mutex(Script())

    /// - Parameter onChange: told what holds after each script, in the order in which they came. Must not call back.
    init(_ configured: Conditions, onChange: @escaping @Sendable (Conditions) -> Void) {
        self.configured = configured
        self.onChange = onChange
    }

    var inForce: ConditionsReply { script.withLock { reply($0) } }

    func follow(_ simulation: ConditionsSimulation) -> ConditionsReply {
        script.withLock { script in
            Self.apply(simulation.externalPower, to: &script.externalPower)
            Self.apply(simulation.network, to: &script.network)
            let reply = reply(script)
            // Told under the lock: two scripts reach the core in the order in which they took effect here.
            onChange(Conditions(isOnExternalPower: reply.externalPower.holds, hasNetwork: reply.network.holds))
            return reply
        }
    }

    private static func apply(_ script: ConditionsSimulation.Script?, to condition: inout Bool?) {
        switch script {
        case .holds(let holds): condition = holds
        case .real: condition = nil
        case nil: break
        }
    }

    private func reply(_ script: Script) -> ConditionsReply {
        func condition(_ scripted: Bool?, _ configured: Bool) -> ConditionsReply.Condition {
            scripted.map { .init($0, source: .scripted) } ?? .init(configured, source: .configuration)
        }
        return ConditionsReply(
            externalPower: condition(script.externalPower, configured.isOnExternalPower),
            network: condition(script.network, configured.hasNetwork)
        )
    }
}
