// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI
package import ControlClient
package import TaskModel

/// The host behind a control socket, which the gateway calls with the role `submit`.
package struct HostAtSocket: PushHost {
    private let client: ControlClient
    /// Receives the message of a call that the host refused, or did not answer, for a cause other than the push.
    private let report: @Sendable (String) -> Void

    package init(_ client: ControlClient, report: @escaping @Sendable (String) -> Void) {
        self.client = client
        self.report = report
    }

    package func push(_ push: PluginPush, to plugin: PluginIdentifier) async -> PushVerdict {
        do throws(ControlError) {
            _ = try await client.push(to: plugin, push)
            return .accepted
        } catch {
            let verdict = PushVerdict(error)
            if verdict == .unavailable || verdict == .failed { report(error.description) }
            return verdict
        }
    }
}
