// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Replaces the program of this process by another.
enum ProcessImage {
    /// Returns only with the failure.
    static func replace(with program: String, arguments: [String]) -> CommandFailure {
        // This may be a pool's thread, which blocks signals, and a mask outlives the change of programs: a host that
        // inherited it could not be stopped. So does an ignored signal.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        signal(SIGPIPE, SIG_DFL)
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
        words.append(nil)
        execv(program, &words)
        let cause = String(cString: strerror(errno))
        return CommandFailure(
            .refused,
            "\(program) cannot be run: \(cause)",
            remedy: "check its permissions, or reinstall it"
        )
    }
}
