// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import RunnerWire

/// A C program that replaces a runner, compiled for the test. It sends only frames that the codec has encoded.
struct StandIn {
    struct NotCompiled: Error {
        let options: [String]
        let status: Int32
    }

    let path: String

    /// Compiles the program.
    ///
    /// - Parameters:
    ///   - frames: constants of the program, by name.
    ///   - main: the body of `main`; `say(FRAME)` sends a frame, `say_with(FRAME, COPIES)` sends up to 16 copies of its
    ///   standard input with the frame, `wait_for_end()` reads until the host closes the channel.
    init(in directory: String, named name: String = "stand-in", frames: [String: [UInt8]] = [:], main: String) throws {
        let constants = frames.map { name, bytes in
            "static const unsigned char \(name)[] = {\(bytes.map(String.init).joined(separator: ","))};"
        }
        let source = Self.prelude + constants.joined(separator: "\n") + "\nint main(void) {\n" + main + "\n}\n"
        path = "\(directory)/\(name)"
        let sourcePath = "\(path)-\(UUID().uuidString).c"
        try source.write(toFile: sourcePath, atomically: true, encoding: .utf8)

        try Self.compile(["-std=gnu11", "-w", "-o", path, sourcePath])
    }

    /// Runs a compiler, without Foundation's `Process`, which closes its descriptors later, while a test may count
    /// descriptors.
    static func compile(_ options: [String], with compiler: String = "cc") throws {
        let status = spawn([compiler] + options)
        guard status == 0 else { throw NotCompiled(options: options, status: status) }
    }

    /// The standard output of a compiler, without white space at both ends.
    static func output(of compiler: String, _ options: [String]) throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("output-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let status = spawn([compiler] + options, output: path)
        guard status == 0 else { throw NotCompiled(options: options, status: status) }
        return try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - output: path of a file for its standard output; nil for that of the tests.
    ///   - errors: path of a file for its standard error; nil for that of the tests.
    /// - Returns: its status as of `waitpid`; -1 if it did not start.
    static func spawn(_ command: [String], output: String? = nil, errors: String? = nil) -> Int32 {
        let arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (descriptor, path) in [(1, output), (2, errors)] as [(Int32, String?)] {
            guard let path else { continue }
            posix_spawn_file_actions_addopen(&actions, descriptor, path, O_WRONLY | O_CREAT, 0o600)
        }
        var program: pid_t = 0
        var status: Int32 = -1
        guard posix_spawnp(&program, command[0], &actions, nil, arguments, environ) == 0,
            waitpid(program, &status, 0) == program
        else { return -1 }
        return status
    }

    private static let prelude = """
        #define _GNU_SOURCE
        #include <dirent.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/ptrace.h>
        #include <sys/resource.h>
        #include <sys/socket.h>
        #include <sys/stat.h>
        #include <sys/wait.h>
        #include <unistd.h>
        extern char **environ;
        static void put(const void *bytes, size_t count) {
            while (count > 0) {
                ssize_t size = write(3, bytes, count);
                if (size < 0) _exit(99);
                bytes = (const char *)bytes + size;
                count -= size;
            }
        }
        #define say(frame) put(frame, sizeof frame)
        static void put_with(const void *bytes, size_t count, int copies) {
            union { struct cmsghdr head; char space[CMSG_SPACE(16 * sizeof(int))]; } control = {0};
            control.head.cmsg_level = SOL_SOCKET;
            control.head.cmsg_type = SCM_RIGHTS;
            control.head.cmsg_len = CMSG_LEN(copies * sizeof(int));
            struct iovec part = {(void *)bytes, count};
            struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control};
            message.msg_controllen = CMSG_SPACE(copies * sizeof(int));
            if (sendmsg(3, &message, 0) != count) _exit(99);
        }
        #define say_with(frame, copies) put_with(frame, sizeof frame, copies)
        static void wait_for_end(void) { char c; while (read(3, &c, 1) > 0) {} }
        static void forever(void) { for (;;) pause(); }

        """
}

/// Runs `body` with a temporary directory, which is deleted afterwards.
func withScratch<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("launch-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    return try await body(directory)
}
