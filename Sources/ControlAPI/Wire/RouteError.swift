// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// A refusal that the routes of the host throw: an HTTP status and the error body.
package struct RouteError: Error, Hashable, Sendable {
    package let status: Int
    package let reply: ErrorReply

    /// The time after which a caller with a refusal of the code `busy` may try again.
    package static let retryDelay: Duration = .seconds(1)

    /// Creates a refusal by the API itself.
    ///
    /// - Parameter field: the invalid part of the call: a key of the body (`a.b`, `a[0]`), or a name in the query or in
    ///   the path; nil for none.
    /// - Parameter problems: the problems of a configuration, each with its place and its remedy; nil for other errors.
    /// - Parameter endedAt: the time at which the device token of a push ended; nil for other errors.
    package init(
        _ subReason: SubReason,
        field: String? = nil,
        _ message: String,
        problems: [String]? = nil,
        remedy: String? = nil,
        endedAt: WallTime? = nil
    ) {
        status = subReason.code.status
        reply = ErrorReply(
            code: subReason.code.rawValue,
            subReason: subReason.rawValue,
            field: field,
            message: message,
            problems: problems,
            remedy: remedy,
            endedAt: endedAt
        )
    }

    /// Creates the refusal of a call from a refusal by the scheduler.
    ///
    /// - Parameter remedy: a remedy in addition to that of the message; nil for none.
    package init(_ refusal: SubmissionRefusal, remedy: String? = nil) {
        status =
            switch refusal.code {
            case .unavailable: 503
            case .tooManyPendingTaskRequests, .immediateRunIneligible: 409
            case .notPermitted: 403
            }
        reply = ErrorReply(
            code: refusal.code.name,
            subReason: refusal.subReason.name,
            message: refusal.message,
            remedy: remedy
        )
    }

    private init(status: Int, reply: ErrorReply) {
        self.status = status
        self.reply = reply
    }

    /// The same refusal with its field as a part of `place`: `requests[3].kind` for `kind`, `requests[3]` for none.
    package func within(_ place: String) -> Self {
        let error = reply.error
        let reply = ErrorReply(
            code: error.code,
            subReason: error.subReason,
            field: error.field.map { "\(place).\($0)" } ?? place,
            message: error.message,
            problems: error.problems,
            remedy: error.remedy
        )
        return Self(status: status, reply: reply)
    }

    /// The refusal of an invalid identifier.
    ///
    /// - Parameter isTask: whether the field is the identifier of a task, which may be a single label without a dot.
    package static func malformedIdentifier(_ text: String, field: String, isTask: Bool = false) -> Self {
        let flaw = ReverseDNSName.flaw(in: text, allowsOneLabel: isTask) ?? .unknown
        return Self(.identifierInvalid, field: field, "\(field) \"\(text)\" \(flaw.problem)", remedy: flaw.remedy)
    }

    /// The refusal of an unknown route. If the path has routes with other methods, the refusal names these methods.
    package static func noSuchRoute(method: String, path: String) -> Self {
        let allowed = Route.methods(at: path).map(\.rawValue)
        if !allowed.isEmpty {
            return Self(
                .noSuchMethod,
                "\(path.prefix { $0 != "?" }) has no method \(method)",
                remedy: "use \(allowed.joined(separator: " or "))"
            )
        }
        return Self(
            .noSuchRoute,
            "this host has no route \(method) \(path)",
            remedy: "GET \(Route.apiDescription.template) lists its routes"
        )
    }

    /// The refusal of an unknown plugin.
    ///
    /// - Parameter nearest: the most similar identifier of an installed plugin; nil when none is similar.
    package static func noSuchPlugin(_ plugin: String, nearest: String? = nil) -> Self {
        Self(
            .noSuchPlugin,
            "no plugin \(plugin) is installed",
            remedy: nearest.map { NearestWord.remedy(nearest: $0, meaning: "plugin") }
                ?? "list the installed plugins and the refused manifests with \"bgtask plugin list\""
        )
    }

    /// The refusal of a push with a device token that is not the plugin's; nil for the valid one.
    package static func refusal(of token: PushTokenState, for plugin: PluginIdentifier) -> Self? {
        switch token {
        case .valid(plugin): nil
        case .ended(plugin, let time):
            Self(
                .pushTokenEnded,
                field: "token",
                "the device token of \(plugin) has ended",
                remedy: "delete the token, and use the one that the plugin has now",
                endedAt: time
            )
        // Whether and when the token of another plugin ended is for the senders of that plugin only.
        case .valid, .ended:
            Self(
                .pushTokenOfAnotherPlugin,
                field: "token",
                "the device token is not that of \(plugin)",
                remedy: "push to the plugin that registered the token"
            )
        case .unknown:
            Self(
                .pushTokenUnknown,
                field: "token",
                "this host has not issued the device token",
                remedy: "compare it with \"bgtask push token \(plugin)\""
            )
        }
    }

    /// The refusal of an unknown task.
    ///
    /// - Parameters:
    ///   - nearest: the most similar identifier of a task or plugin; nil when none is similar.
    ///   - thing: the noun for the nearest identifier.
    package static func noSuchTask(_ task: String, nearest: String? = nil, meaning thing: String = "task") -> Self {
        Self(
            .noSuchTask,
            "\(task) is unknown: no installed plugin permits this task, and no outcome of it is recorded",
            remedy: nearest.map { NearestWord.remedy(nearest: $0, meaning: thing) }
                ?? "compare the identifier with \"bgtask task list\" and \"bgtask plugin show PLUGIN\""
        )
    }

    package static func noSuchLaunch(_ launch: LaunchNumber) -> Self {
        Self(.noSuchLaunch, "the ledger has no launch \(launch)", remedy: "see \"bgtask launch list\"")
    }

    package static func noSuchTransfer(_ transfer: SubmissionNumber) -> Self {
        Self(.noSuchTransfer, "the ledger has no transfer \(transfer)", remedy: "see \"bgtask transfer list\"")
    }

    package static func notAdmitted(user: UInt32) -> Self {
        Self(
            .foreignUser,
            "user \(user) is neither the host's own user nor root, and the caller is in no socket group of the host",
            remedy: "use your own host, or ask the operator to set socket-groups, to restart the host and to add you to"
                + " one of the groups, and log in again"
        )
    }

    /// The refusal of a caller whose role does not include the route.
    package static func roleTooLow(_ role: ControlRole, user: UInt32, for route: Route) -> Self {
        Self(
            .roleTooLow,
            "user \(user) has the role \(role.rawValue), and \(route) needs the role \(route.role.rawValue)",
            remedy: "ask the operator to set socket-groups.\(route.role.rawValue) and add you to that group, and log in"
                + " again"
        )
    }

    /// The refusal of a call by a process that belongs to a launch.
    package static func calledByLaunch(process: Int32) -> Self {
        Self(
            .callerInLaunch,
            "process \(process) belongs to a launch of this host, and a plugin may not use the control socket",
            remedy: "the plugin has to call the functions of its host table instead (rule BGT-ABI-18)"
        )
    }

    /// The refusal of a caller whose process has ended, or whose ancestors are unknown.
    package static func unknownCaller(process: Int32) -> Self {
        Self(
            .callerUnknown,
            "process \(process), which connected, has ended or has unknown ancestors, so it may belong to a launch",
            remedy: "let the process that connects run until it has received the answer, and try again"
        )
    }

    /// The refusal of a connection beyond the limits.
    package static func tooManyConnections(user: UInt32) -> Self {
        Self(
            .tooManyConnections,
            "user \(user) or all users together have as many connections as the host accepts, and none of the idle ones"
                + " can be closed for another",
            remedy: "wait for answers or close connections, and try again"
        )
    }

    /// The refusal of a forecast while many others wait for their computation.
    package static func tooManyForecasts(most: Int) -> Self {
        Self(
            .tooManyForecasts,
            "\(most) forecasts wait to be computed, as many as the host accepts",
            remedy: "try again when they are answered"
        )
    }

    /// The refusal of a batch beyond the limit of batches in progress.
    package static func tooManyBatches(user: UInt32, most: Int) -> Self {
        Self(
            .tooManyBatches,
            "user \(user) has \(most) batches in progress, as many as the host accepts",
            remedy: "wait for the answer of one of them, and try again"
        )
    }
}
