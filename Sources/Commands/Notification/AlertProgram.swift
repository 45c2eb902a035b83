// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Glibc
import LinuxSystem
import TaskModel

/// The command of an operator, which `/bin/sh` runs for each message, with the message as standard input.
struct AlertProgram {
    let command: String
    /// The environment besides the variables of the message.
    let environment: [String: String]
    /// Time after which the command and its children are killed.
    let timeout: Duration

    /// Runs the command once. Its exit status 0 means that the message is delivered.
    func run(_ input: Data, _ variables: [String: String]) async throws -> DeliveryQueue.Outcome {
        let input = try Self.file(with: input)
        let program = try ChildProgram.start(
            ["/bin/sh", "-c", command],
            environment: environment.merging(variables) { _, own in own },
            // Standard output may be the input of another program, which expects only messages.
            streams: [input.number, STDERR_FILENO, STDERR_FILENO],
            hasGroup: true
        )
        let status = try await withThrowingTaskGroup(of: Int32?.self) { group in
            group.addTask { try await program.end(onThread: "alert", cancelledBy: SIGKILL) }
            group.addTask {
                try await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        guard let status else { return .failed("the command took longer than \(timeout.humanReadable)") }
        return status == 0 ? .delivered : .failed("the command ended with status \(status)")
    }

    /// An open file without a name that contains the bytes. A pipe would block the writer of a command that reads
    /// nothing.
    private static func file(with bytes: Data) throws -> Descriptor {
        var template = Array((NSTemporaryDirectory() + "/bgtask-XXXXXX").utf8CString)
        let number = mkstemp(&template)
        guard number >= 0 else { throw SystemError(number: errno, attempt: "create a temporary file") }
        let file = Descriptor(owning: number)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        unlink(template)
        try FileBytes.write(Array(bytes)[...], to: number, for: "write a temporary file")
        lseek(number, 0, SEEK_SET)
        return file
    }
}
