// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Owners of submissions, and journal entries about replaced requests.
extension Scheduler {
    /// The plugin to be launched for the submission: the submitting plugin or, for an extension, its main plugin;
    /// without a submitting plugin, the owner of the identifier.
    func owner(of submission: Submission) -> Result<PluginIdentifier, SubmissionRefusal> {
        if isStopping { return .failure(.hostStopping(remedy: "submit again after its restart")) }
        let identifier = submission.request.identifier
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
                    + " set plugins.\(submitter).enabled to true in the host's configuration"
            )
        }
        guard plugins.contains(main), let entry = plugins[main].entry else {
            let refusal = plugins.contains(main) ? plugins[main].refusal : nil
            return SubmissionRefusal(
                code: .unavailable,
                subReason: .pluginMissing,
                message: "\(main), the main plugin of extension \(submitter), "
                    + (refusal.map { "has a manifest that is refused: \($0)" } ?? "is not installed; install it again")
            )
        }
        if entry.extensions.contains(submitter) { return nil }
        return SubmissionRefusal(
            code: .notPermitted,
            subReason: .notItsMainPlugin,
            message: "\(main) does not list \(submitter) among its extensions; add it to extensions in its manifest,"
                + " or to plugins.\(main).extensions in the host's configuration"
        )
    }

    func mainPlugin(of plugin: PluginIdentifier) -> PluginIdentifier {
        plugins.contains(plugin) ? plugins[plugin].containingPlugin ?? plugin : plugin
    }
}

extension SubmissionRefusal {
    static func notPermitted(_ identifier: TaskIdentifier) -> SubmissionRefusal {
        SubmissionRefusal(
            code: .notPermitted,
            subReason: .identifierNotPermitted,
            message: "no installed plugin permits the identifier \(identifier); correct it, or"
                + " add it to permitted-identifiers in the manifest of the plugin that handles it"
        )
    }

    /// The refusal of a call whose change could not be committed.
    ///
    /// - Parameter thing: the submitted object, such as "request".
    static func notRecorded(_ thing: String, because message: String) -> SubmissionRefusal {
        SubmissionRefusal(
            code: .unavailable,
            subReason: .notRecorded,
            message: "the \(thing) could not be recorded and was not accepted: \(message)"
        )
    }

    static func hostStopping(remedy: String) -> SubmissionRefusal {
        SubmissionRefusal(code: .unavailable, subReason: .hostStopping, message: "the host is stopping; \(remedy)")
    }

    static func pluginDisabled(_ plugin: PluginIdentifier) -> SubmissionRefusal {
        SubmissionRefusal(
            code: .unavailable,
            subReason: .pluginDisabled,
            message: "plugin \(plugin) is disabled by the operator;"
                + " set plugins.\(plugin).enabled to true in the host's configuration"
        )
    }
}

extension JournalEntry {
    static func replacement(of old: PendingRequest, by new: PendingRequest, at now: Moment) -> JournalEntry {
        JournalEntry(
            old,
            .replaced,
            at: now,
            message: "submission \(old.number) was replaced by submission \(new.number) before it ran",
            successor: new.number
        )
    }

    /// Creates a journal entry about a pending request.
    init(
        _ request: PendingRequest,
        _ event: Event,
        launch: LaunchNumber? = nil,
        at now: Moment,
        message: String,
        successor: SubmissionNumber? = nil
    ) {
        self.init(
            at: now.wall,
            event: event,
            plugin: request.plugin,
            launch: launch,
            label: request.request.identifier.text,
            submission: request.number,
            blame: .nobody,
            message: message,
            successor: successor
        )
    }
}
