// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI
import Scheduling
import TaskModel

/// The pending requests of an installed plugin that a new manifest does not permit. They wait until a manifest permits
/// them or they are cancelled.
package struct UnpermittedRequests: Hashable {
    /// The identifiers of the requests, sorted.
    package let identifiers: [String]

    package static let none = UnpermittedRequests(identifiers: [])

    /// Creates the requests that the manifest of `plan` does not permit.
    ///
    /// A pattern counts as permission for processing, because the configuration of the host may allow it. The list of
    /// tasks does not show the resources of continued requests, so a missing grant of a GPU does not count.
    ///
    /// - Parameter pending: the pending requests of the plugin.
    package init(of plan: InstallationPlan, among pending: [TaskListReply.Pending]) {
        var policy = PluginPolicy()
        policy.allowsPatternsForProcessing = true
        let permissions = Permissions(of: plan.entry, policy: policy)
        identifiers = pending.filter { pending in
            guard let identifier = TaskIdentifier(pending.identifier), let kind = TaskKind(name: pending.kind) else {
                return false
            }
            let request = TaskRequest(identifier: identifier, kind: kind)
            return !SubmissionRules.permits(request, under: permissions, of: plan.entry)
        }.map(\.identifier).sorted()
    }

    private init(identifiers: [String]) { self.identifiers = identifiers }
}
