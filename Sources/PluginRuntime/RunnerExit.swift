// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import RunnerWire

/// Exit codes of a runner that ends outside the regular end of a launch. A launch that ended in order exits with 0.
enum RunnerExit {
    /// The host ended, or closed the control channel.
    static let hostIsGone: Int32 = 1
    /// The process was not started by a host as a runner.
    static let misuse: Int32 = 2
    /// The runner received an invalid message. The plugin causes this, too, when it reads from the runner's socket.
    static let brokenWire: Int32 = 3
    /// The system had no descriptor, thread or memory left.
    static let noResources: Int32 = 4
    /// The sandbox of the launch could not be applied.
    static let notConfined: Int32 = 5

    /// Ends the process with a message on stderr, which the host captures.
    static func end(_ code: Int32, _ message: String) -> Never {
        say(message)
        _exit(code)
    }

    /// Ends the process before any code of the plugin is mapped, and reports to the host that the plugin did not cause
    /// the failure. Called after the host has sent the plan or other bytes.
    static func endUnstarted(_ code: Int32, _ message: String) -> Never {
        let text = "the launch ended before its plugin was loaded, and no attempt is charged: \(message)"
        if let frame = try? RunnerMessage.sandboxFailed(message: text).frame() {
            // The socket has space: a runner sends little before this.
            _ = frame.withUnsafeBytes {
                send(RunnerDescriptors.control, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
        }
        end(code, message)
    }

    /// Ends the process before any code of the plugin is mapped, because the system has no more of `resource`.
    static func endUnstarted(without resource: Resource) -> Never {
        endUnstarted(noResources, resource.problem)
    }

    /// Ends the process because the host sent an invalid message, and the plugin cannot have caused the flaw.
    static func endBrokenWire(_ flaw: String) -> Never {
        end(brokenWire, mismatch(flaw))
    }

    static func mismatch(_ flaw: String) -> String { "\(flaw); install host and runner from one release" }

    enum Resource {
        case descriptor
        case thread
        case memory

        fileprivate var problem: String {
            switch self {
            case .descriptor: "no file descriptor is available; raise LimitNOFILE= of bgtaskd's service"
            case .thread:
                "no thread is available; raise the limit that was reached: limits.processes in the plugin's manifest,"
                    + " or, with a restart of the host, launch-limits.processes in its configuration or TasksMax= of"
                    + " bgtaskd's service"
            case .memory: "no memory is available; free memory on the machine, or raise LimitAS= of bgtaskd's service"
            }
        }
    }

    /// Ends the process because the system has no more of `resource`.
    static func end(without resource: Resource) -> Never { end(noResources, resource.problem) }

    static func say(_ message: String) {
        _ = Array("bgtask-runner: \(message)\n".utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
