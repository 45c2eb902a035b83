// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import FunctionTrial
import HostConfiguration
import LinuxSystem
import PluginCatalogue
import SandboxPolicy
import TaskModel

// Settings and sandbox of the called function.
extension PluginCallCommand {
    /// The values of all settings: those of the options, otherwise the manifest's defaults.
    func settings(besides manifest: Manifest?) throws -> [String: String] {
        var values = manifest?.settings ?? [:]
        for (key, value) in setting { values[key] = value }
        for (key, file) in secret {
            let sources = [FunctionTrial.plugin: [key: SecretSource.file(FilePlace.absolute(file))]]
            do throws(HostError) {
                let reader = SecretReader(sources, environment: [:])
                let read = try reader.values(of: [key], in: FunctionTrial.plugin, isNamed: false)
                values.merge(read) { _, secret in secret }
            } catch {
                // The message is that of a host: no plugin has the identifier of the trial, and no host takes part.
                let message = error.message.replacing(" of \(FunctionTrial.plugin)", with: "")
                throw CommandFailure(.refused, message.replacing("the host's user", with: "this user"))
            }
        }
        for case .setting(let key) in arguments where values[key] == nil {
            throw CommandFailure(
                .refused,
                "setting:\(key) has no value in the options or in the manifest",
                remedy: "add --setting \(key)=VALUE, or --secret \(key)=FILE for a secret"
            )
        }
        return values
    }

    /// The sandbox policy for the call. No grant opens the default state directory or the default control socket of the
    /// system's host and of this user's host.
    func policy() throws -> SandboxPolicy {
        let hosts = [HostPaths.system, .user(environment: CommandContext.current.environment)]
        do throws(SandboxPolicy.Refusal) {
            return try SandboxPolicy(
                sandbox.isolation,
                privatePlaces: hosts.flatMap { [$0.stateDirectory, $0.controlSocket] },
                cataloguePlaces: []
            )
        } catch {
            throw CommandFailure(.refused, "\(error)")
        }
    }

    static func message(about call: DeniedCall) -> String {
        switch call.group {
        case .network: "\(call.name) was refused with EPERM; grant the network with --network"
        case .unix: "\(call.name) was refused with EPERM; grant the Unix socket with --unix PATH"
        case .processes: "\(call.name) was refused with EPERM; grant starting processes with --processes"
        case .netlink:
            "\(call.name) was refused with EPERM; of AF_NETLINK, --network grants only the protocol NETLINK_ROUTE"
        case .ungrantable:
            "\(call.name) was refused with EPERM; no grant allows this call: call another function, or give --isolation off"
        }
    }
}
