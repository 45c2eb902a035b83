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
        try start(arguments, input, output).wait()
    }

    private var path: String {
        let usual = "/usr/bin/\(rawValue)"
        return FilePlace.exists(usual) ? usual : "/bin/\(rawValue)"
    }

    private func start(_ arguments: [String], _ input: CInt?, _ output: CInt?) throws -> ChildProgram {
        let nothing = try Descriptor(opening: "/dev/null", flags: O_RDONLY)
        // Variables such as TAR_OPTIONS would change the meaning of the arguments.
        let program = Result { () throws(SystemError) in
            try ChildProgram.start(
                [path] + arguments,
                environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C"],
                streams: [input ?? nothing.number, output ?? STDOUT_FILENO, STDERR_FILENO]
            )
        }
        return try program.mapError { BackupError("\($0)", remedy: "install the package of \(path)") }.get()
    }
}
