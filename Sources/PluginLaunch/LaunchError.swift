// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem

/// The reason why a runner or the launcher cannot be started. Failures of a running runner are reported as events
/// instead.
package struct LaunchError: Error, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable {
        private enum Name { case runnerUnusable, shortage, refused, closed }
        private let name: Name

        /// The runner's binary cannot be opened or executed.
        package static let runnerUnusable = Code(name: .runnerUnusable)
        /// Descriptors, processes or memory are exhausted. A retry may succeed when other launches have ended.
        package static let shortage = Code(name: .shortage)
        /// A cause other than those of the remaining codes: the system or the configuration refuses the operation, or
        /// the launch has a runner already.
        package static let refused = Code(name: .refused)
        /// The launcher is closing, or the launch was killed before its runner was started.
        package static let closed = Code(name: .closed)
    }

    package let code: Code
    /// The failed operation, its cause and, where one is known, the remedy.
    package let message: String

    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}

extension LaunchError {
    /// Creates the error for a failed system call.
    ///
    /// - Parameter purpose: the operation that failed, e.g. "start a runner for launch 41".
    init(_ error: SystemError, purpose: String) {
        let cannot = "cannot \(purpose): cannot \(error.attempt): \(error.meaning)"
        switch error.number {
        case EMFILE:
            let limit = Self.count(bgl_descriptor_limit())
            self.init(
                code: .shortage,
                message: "\(cannot); the limit of open descriptors of this process is \(limit) (RLIMIT_NOFILE); "
                    + "raise it (LimitNOFILE= of a service, ulimit -n in a shell) and start again, or run fewer"
                    + " launches at once"
            )
        case ENFILE:
            self.init(code: .shortage, message: "\(cannot); raise fs.file-max of the machine")
        case EAGAIN:
            let limit = Self.count(bgl_process_limit())
            self.init(
                code: .shortage,
                message: "\(cannot); the limit of processes of this process's user is \(limit) (RLIMIT_NPROC); its "
                    + "service can have a lower limit (TasksMax=); raise these limits and start again, or run"
                    + " fewer launches at once"
            )
        case ENOSPC where error.attempt == SystemError.watching:
            self.init(
                code: .shortage,
                message: "\(cannot); this process's user has as many epoll watches as fs.epoll.max_user_watches"
                    + " permits; end the programs that have them, raise fs.epoll.max_user_watches (sysctl), or give"
                    + " plugins users of their own with plugin-users"
            )
        case ENOMEM:
            self.init(code: .shortage, message: "\(cannot); free memory, or run fewer launches at once")
        default:
            self.init(code: .refused, message: cannot)
        }
    }

    private static func count(_ limit: UInt64) -> String {
        limit == .max ? "unlimited" : "\(limit)"
    }
}
