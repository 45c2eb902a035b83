// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// The receiver of the host's log: standard error, or the journal of systemd.
struct LogOutput: Sendable {
    /// Writes a line. Returns false when the receiver does not accept the line now.
    typealias Write = @Sendable (LogLine) -> Bool

    /// Whether standard error is a stream of systemd's journal.
    let isInJournal: Bool
    let write: Write

    /// The output of this process, by its environment and its standard error.
    static let ofProcess = LogOutput(
        isInJournal: isStandardError(ofJournal: ProcessInfo.processInfo.environment["JOURNAL_STREAM"]),
        journal: SystemdSocket()
    ) { text in
        // A closed standard error stops no host.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    /// Creates an output. If standard error is a stream of systemd's journal, each line is sent to the socket of the
    /// journal as a record. While nothing listens at the socket, lines go to standard error.
    init(
        isInJournal: Bool,
        journal: SystemdSocket,
        standardError: @escaping @Sendable (String) -> Void
    ) {
        self.isInJournal = isInJournal
        write = { line in
            if isInJournal {
                switch journal.send(SystemdRecord(line).bytes) {
                case .sent: return true
                case .full: return false
                case .unreachable: break
                }
            }
            standardError(line.text(isInJournal: isInJournal) + "\n")
            return true
        }
    }

    /// Whether `stream`, the value of `JOURNAL_STREAM`, has the device and the inode of standard error.
    static func isStandardError(ofJournal stream: String?) -> Bool {
        var status = stat()
        guard let stream, fstat(STDERR_FILENO, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }
}
