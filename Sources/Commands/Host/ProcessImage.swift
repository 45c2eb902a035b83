// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// The program that this process runs, and its replacement by another.
enum ProcessImage {
    /// The running file's own path, whatever name it was called by.
    static var executable: String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }

    static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

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
