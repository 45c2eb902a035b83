// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The refusals that several calls share.
extension SubmissionRefusal {
    static func notPermitted(_ identifier: TaskIdentifier) -> SubmissionRefusal {
        SubmissionRefusal(
            code: .notPermitted,
            subReason: .identifierNotPermitted,
            message: "no installed plugin permits the identifier \(identifier); correct it,"
                + " add it to permitted-identifiers in the manifest of the plugin that handles it, or correct this"
                + " plugin if it is refused (see: bgtask plugin list)"
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

    /// The refusal of work that exists since a newer minor version of the ABI than that of the plugin's header.
    ///
    /// - Parameter work: the refused work in the plural, such as "triggers".
    static func pluginTooOld(
        _ plugin: PluginIdentifier,
        for work: String,
        since: Int,
        header: Int
    ) -> SubmissionRefusal {
        SubmissionRefusal(
            code: .unavailable,
            subReason: .notOffered,
            message: "plugin \(plugin) is built with a bgtask.h of minor version \(header), and \(work) exist since"
                + " minor version \(since); install a build with a bgtask.h of minor version \(since) or newer"
        )
    }

    static func notInstalled(_ plugin: PluginIdentifier) -> SubmissionRefusal {
        SubmissionRefusal(
            code: .unavailable,
            subReason: .pluginMissing,
            message: "no plugin \(plugin) is installed or recorded; list the plugins with: bgtask plugin list"
        )
    }

    static func pluginDisabled(_ plugin: PluginIdentifier) -> SubmissionRefusal {
        SubmissionRefusal(
            code: .unavailable,
            subReason: .pluginDisabled,
            message: "plugin \(plugin) is disabled by the operator;"
                + " set plugins.\(plugin).enabled to true in the host's configuration and run bgtask host reload"
        )
    }

    // MARK: Pushes

    static let pushBySubmission = SubmissionRefusal(
        code: .notPermitted,
        subReason: .submitterMayNotSchedule,
        message: "a push is not submitted as a request; send it with \"bgtask push send\""
    )

    /// - Parameter problem: the problem of the plugin's refused manifest; nil when no manifest describes the plugin.
    static func pushWithoutPlugin(_ plugin: PluginIdentifier, problem: String?) -> SubmissionRefusal {
        SubmissionRefusal(
            code: .unavailable,
            subReason: .pluginMissing,
            message: problem.map { "plugin \(plugin) is refused: \($0)" }
                ?? "no plugin \(plugin) is installed; list the plugins with: bgtask plugin list"
        )
    }

    static func pushToExtension(_ plugin: PluginIdentifier, of main: PluginIdentifier) -> SubmissionRefusal {
        SubmissionRefusal(
            code: .notPermitted,
            subReason: .remoteNotificationModeMissing,
            message: "\(plugin) is an extension, and only main plugins receive pushes; send the push to \(main)"
        )
    }

    static func pushTokenOfExtension(_ plugin: PluginIdentifier, of main: PluginIdentifier) -> SubmissionRefusal {
        SubmissionRefusal(
            code: .notPermitted,
            subReason: .remoteNotificationModeMissing,
            message: "\(plugin) is an extension, and only main plugins receive pushes; register in \(main)"
        )
    }

    static func pushTokenWithoutMode(_ plugin: PluginIdentifier) -> SubmissionRefusal {
        SubmissionRefusal(
            code: .notPermitted,
            subReason: .remoteNotificationModeMissing,
            message: "\(plugin) receives no pushes: they need a main plugin whose manifest lists the background mode"
                + " remote-notification; add it to background-modes"
        )
    }
}
