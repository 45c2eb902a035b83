// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

// Owners of submissions, and journal entries about replaced requests.
extension Scheduler {
    /// The plugin to be launched for the submission: the submitting plugin or, for an extension, its main plugin;
    /// without a submitting plugin, the owner of the identifier. The refusal when the host is stopping, the extension
    /// may not submit, or no such plugin is installed.
    func owner(of submission: Submission) -> Result<PluginIdentifier, SubmissionRefusal> {
        if isStopping { return .failure(.hostStopping(remedy: "submit again after the host's restart")) }
        let identifier = submission.request.identifier
        if submission.request.kind == .push { return .failure(.pushBySubmission) }
        var owner = owners[identifier]
        if case .plugin(let submitter) = submission.submitter {
            if let refusal = refusal(ofExtension: submitter) { return .failure(refusal) }
            owner = mainPlugin(of: submitter)
        }
        if let owner, plugins.contains(owner), plugins[owner].entry?.role == .main { return .success(owner) }
        return .failure(.notPermitted(identifier))
    }

    /// The refusal of an extension's submission; nil when the extension may submit. The manifests that are installed
    /// now decide, not the manifests with which the submitting launch started (statement 36).
    private func refusal(ofExtension submitter: PluginIdentifier) -> SubmissionRefusal? {
        guard plugins.contains(submitter), let main = plugins[submitter].containingPlugin else { return nil }
        if !plugins[submitter].policy.isEnabled {
            return SubmissionRefusal(
                code: .unavailable,
                subReason: .submitterMayNotSchedule,
                message: "extension \(submitter) is disabled by the operator and submits nothing;"
                    + " set plugins.\(submitter).enabled to true in the host's configuration and run bgtask host reload"
            )
        }
        guard plugins.contains(main), let entry = plugins[main].entry else {
            let refusal = plugins.contains(main) ? plugins[main].refusal : nil
            return SubmissionRefusal(
                code: .unavailable,
                subReason: .pluginMissing,
                message: "\(main), the main plugin of extension \(submitter), "
                    + (refusal.map { "is refused: \($0)" } ?? "is not installed; install \(main)")
            )
        }
        if entry.extensions.contains(submitter) { return nil }
        return SubmissionRefusal(
            code: .notPermitted,
            subReason: .notItsMainPlugin,
            message: "\(main) does not list \(submitter) among its extensions; add \(submitter) to extensions in the"
                + " manifest of \(main), or to plugins.\(main).extensions in the host's configuration, and restart"
                + " the host"
        )
    }

    /// The main plugin of a plugin: for an extension the plugin that contains it, else the plugin itself.
    package func mainPlugin(of plugin: PluginIdentifier) -> PluginIdentifier {
        plugins.contains(plugin) ? plugins[plugin].containingPlugin ?? plugin : plugin
    }
}
