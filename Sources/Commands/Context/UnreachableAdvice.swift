// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostConfiguration

/// The remedy for a host that does not answer, by the cause of the failure.
enum UnreachableAdvice {
    static func text(for failure: ConnectionFailure, at choice: HostChoice, facts: () -> SocketFacts) -> String {
        switch failure {
        case .noSocket, .noListener: choice.startHint
        case .other:
            "check the process at the socket with: ss -lxp src \(choice.socket); if there is none, \(choice.startHint)"
        case .pathTooLong: "give the host and this command a shorter path with --socket"
        case .notAllowed: admission(facts())
        case .noAnswer: hanging(choice.socket, facts().listener.process)
        case .answerTooLarge:
            "select less if the command has options for that, such as --plugin or --limit, or check the process at the"
                + " socket with: ss -lxp src \(choice.socket)"
        case .hungUp: "the host may be stopping; try again in a moment; if it has ended, \(choice.startHint)"
        }
    }

    /// The remedy for a failed call to a host; empty when the error has none besides its description.
    static func remedy(for error: ControlError, at choice: HostChoice, facts: () -> SocketFacts) -> String {
        switch error {
        case .unreachable(_, let cause): text(for: cause, at: choice, facts: facts)
        case .refused(_, let reply): reply.error.remedy ?? ""
        case .streamEnded, .misunderstood: ""
        }
    }

    private static func admission(_ facts: SocketFacts) -> String {
        let users =
            facts.owner == "root" ? "root" : "the host's own user\(facts.owner.map { " \($0)" } ?? ""), root"
        if let group = facts.group {
            return "\(users) and the members of the socket group \(group) may use the socket; join that group with: "
                + "sudo usermod -aG \(group) USER, and log in again; or use your own host with --user"
        }
        return "\(users) and the members of the host's socket groups, if there are any, may use the socket; ask the "
            + "operator to set socket-groups in the configuration of the host and to restart the host, then join one "
            + "of the groups with: sudo usermod -aG GROUP USER, and log in again; or use your own host with --user"
    }

    private static func hanging(_ socket: String, _ process: Int32?) -> String {
        guard let process else {
            return "the host hangs or is suspended; find its process with: ss -lxp src \(socket), and read its log"
        }
        return "process \(process) serves the socket, but hangs or is suspended; show its state with: "
            + "ps -o pid,stat,wchan:32,args -p \(process), and its log with: journalctl _PID=\(process); "
            + "end it with: kill -KILL \(process), which loses no accepted request"
    }
}
