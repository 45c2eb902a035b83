// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Replaces the program of this process by another program, with `execv`.
enum ProcessImage {
    /// Replaces the program. Returns only when the program cannot be run, with the failure.
    static func replace(with program: String, arguments: [String]) -> CommandFailure {
        // The signal mask and ignored signals survive `execv`. This thread may belong to a pool that blocks signals: a
        // host that inherited such a mask could not be stopped.
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
