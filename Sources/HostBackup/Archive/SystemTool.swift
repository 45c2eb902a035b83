// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem

/// A program of the system that packs or changes trees of files: `tar` and `chown`, which Debian installs always.
enum SystemTool: String {
    case tar
    case chown

    /// Runs the program and waits for its end. Its messages go to standard error. Throws when it cannot be started.
    ///
    /// - Parameters:
    ///   - input: its standard input; nil for none.
    ///   - output: its standard output; nil for that of this process.
    /// - Returns: its exit status; 128 plus the number of the signal that ended it.
    func run(_ arguments: [String], input: CInt? = nil, output: CInt? = nil) throws -> CInt {
        let pid = try start(arguments, input, output)
        var status: CInt = 0
        while waitpid(pid, &status, 0) < 0 {
            if errno != EINTR { throw SystemError(number: errno, attempt: "await \(rawValue)") }
        }
        let signal = status & 0x7f
        return signal == 0 ? status >> 8 & 0xff : 128 + signal
    }

    private var path: String {
        let usual = "/usr/bin/\(rawValue)"
        return FilePlace.exists(usual) ? usual : "/bin/\(rawValue)"
    }

    private func start(_ arguments: [String], _ input: CInt?, _ output: CInt?) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
        // The command ignores signals during a change; the program must end at them.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        // Variables such as TAR_OPTIONS would change the meaning of the arguments.
        let variables: [String] = ["PATH=/usr/bin:/bin", "LC_ALL=C"]
        var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) }
        defer { for word in words + environment { free(word) } }
        words.append(nil)
        environment.append(nil)
        var pid: pid_t = 0
        let error = posix_spawn(&pid, path, &actions, &attributes, words, environment)
        if error != 0 {
            throw BackupError(
                "\(path) cannot be run: \(String(systemError: error))",
                remedy: "install the package of it"
            )
        }
        return pid
    }
}
