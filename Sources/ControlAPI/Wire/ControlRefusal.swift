// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// A refusal as the host's routes throw it: an HTTP status and the body that goes with it.
package struct ControlRefusal: Error, Hashable, Sendable {
    package let status: Int
    package let reply: ErrorReply

    package init(status: Int, reply: ErrorReply) {
        self.status = status
        self.reply = reply
    }

    /// The scheduler's own word on a submission.
    package init(_ refusal: Refusal) {
        let status =
            switch refusal.code {
            case .unavailable: 503
            case .tooManyPendingTaskRequests, .immediateRunIneligible: 409
            case .notPermitted: 403
            }
        self.init(
            status: status,
            reply: ErrorReply(code: refusal.code.name, subReason: refusal.subReason.name, message: refusal.message)
        )
    }

    /// The request breaks the API's own rules.
    package static func malformed(_ subReason: String, _ message: String) -> Self {
        Self(status: 400, reply: ErrorReply(code: "malformed", subReason: subReason, message: message))
    }

    /// - Parameter error: what decoding the body threw.
    package static func malformedBody(_ error: any Error) -> Self {
        malformed("body-invalid", "the body is not what this route takes: \(WireCoding.explanation(of: error))")
    }

    package static func malformedIdentifier(_ text: String) -> Self {
        let problem = ReverseDNSName.problem(in: text) ?? "is not a reverse-DNS name"
        return malformed("identifier-invalid", "identifier \"\(text)\" \(problem)")
    }

    package static func notFound(_ subReason: String, _ message: String, remedy: String? = nil) -> Self {
        let reply = ErrorReply(code: "not-found", subReason: subReason, message: message, remedy: remedy)
        return Self(status: 404, reply: reply)
    }

    package static func noSuchRoute(method: String, path: String) -> Self {
        notFound("no-such-route", "this host has no route \(method) \(path)", remedy: "compare the versions of both")
    }

    package static func noSuchPlugin(_ plugin: String) -> Self {
        notFound(
            "no-such-plugin",
            "no plugin \(plugin) is installed",
            remedy: "see \"bgtask plugin list\" for what is, and for manifests that were refused"
        )
    }

    package static func noSuchTask(_ task: String) -> Self {
        notFound(
            "no-such-task",
            "\(task) is unknown: nobody submitted it and no plugin permits it",
            remedy:
                "compare it with \"bgtask task list\", and with what \"bgtask plugin show PLUGIN\" says is permitted"
        )
    }

    package static func noSuchLaunch(_ launch: String) -> Self {
        notFound("no-such-launch", "the ledger has no launch \(launch)", remedy: "see \"bgtask launch list\"")
    }

    /// Statement 89.
    package static func nothingPending(_ task: String) -> Self {
        notFound(
            "nothing-pending",
            "no request for \(task) is pending",
            remedy: "submit one with \"bgtask task submit \(task) --kind KIND\""
        )
    }

    package static func nothingRunning(_ task: String) -> Self {
        notFound("nothing-running", "no task \(task) is running", remedy: "see \"bgtask task list\" for what is")
    }

    /// The request is in order, but not in the host's present state.
    package static func conflict(_ subReason: String, _ message: String, remedy: String? = nil) -> Self {
        let reply = ErrorReply(code: "conflict", subReason: subReason, message: message, remedy: remedy)
        return Self(status: 409, reply: reply)
    }

    /// The socket's other end is none of those who may give orders here.
    package static func notAdmitted(user: UInt32) -> Self {
        let reply = ErrorReply(
            code: "not-admitted",
            subReason: "foreign-user",
            message: "user \(user) is neither the host's own user, nor root, nor in its socket group",
            remedy: "use your own host, or have the operator set socket-group and add you to that group"
        )
        return Self(status: 403, reply: reply)
    }

    /// The host could not do its own part.
    package static func hostFailed(_ subReason: String, _ message: String) -> Self {
        Self(status: 500, reply: ErrorReply(code: "host-failed", subReason: subReason, message: message))
    }
}
