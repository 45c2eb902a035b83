// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import Glibc
import LinuxSystem

/// A failure of the ledger. The message is complete: it names the file, the rule and the remedy.
package struct LedgerError: Error, Hashable, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable {
        private enum Known {
            case cannotOpen, newer, notALedger, damaged, unreadable, storage, notCopied, contradiction, closed
        }
        private let known: Known

        package static let cannotOpen = Self(known: .cannotOpen)
        /// A newer host, or another build of the host, wrote the ledger, which is left unchanged.
        package static let newer = Self(known: .newer)
        /// The file belongs to another program, and is left unchanged.
        package static let notALedger = Self(known: .notALedger)
        package static let damaged = Self(known: .damaged)
        /// A row contains an unknown value, or a column is missing.
        package static let unreadable = Self(known: .unreadable)
        /// The disk or SQLite failed; `sqliteCode` is the cause, if SQLite reported one.
        package static let storage = Self(known: .storage)
        /// A copy of the ledger was not made, before an upgrade of the schema or for a backup; the ledger is unchanged.
        package static let notCopied = Self(known: .notCopied)
        /// A change contradicts the contents of the ledger: the state in the host's memory differs from the ledger.
        package static let contradiction = Self(known: .contradiction)
        package static let closed = Self(known: .closed)
    }

    package let code: Code
    /// The extended result code of SQLite; nil for other failures.
    package let sqliteCode: Int32?
    package let message: String
    /// The message without the advice to check the ledger, for the findings of such a check.
    let finding: String

    package var description: String { message }

    /// Creates an error.
    ///
    /// - Parameter checked: the file of the ledger that the message advises to check; nil for a message without this
    ///   advice.
    init(code: Code, sqliteCode: Int32? = nil, message: String, checked: String? = nil) {
        self.code = code
        self.sqliteCode = sqliteCode
        self.message = checked.map { "\(message); \(Self.check($0))" } ?? message
        finding = message
    }
}

/// A failure in code without access to the path of the ledger file, which messages name. It is converted to a
/// `LedgerError`, which adds the path.
enum LedgerFault: Error {
    case unreadable(table: String, row: String, column: String, found: String)
    case missingColumn(table: String, column: String)
    case contradiction(String)
    /// The contents of the file are damaged; the value is the finding.
    case damaged(String)
}

extension LedgerError {
    static func cannotOpen(_ path: String, errno code: Int32) -> Self {
        let words = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        let remedy =
            switch code {
            case ENOENT: "create its directory, or use another --state-directory"
            case EACCES, EPERM:
                "let the host's user write the file and its directory, or use another --state-directory"
            case EROFS: "mount its disk for writing, or use another --state-directory"
            case ENOSPC, EDQUOT: "free space on its disk"
            case EMFILE, ENFILE:
                "raise the limit of open files of this process (RLIMIT_NOFILE) or of the machine (fs.file-max)"
            case EIO: "check the kernel's log for disk errors"
            default: "use another --state-directory"
            }
        return Self(code: .cannotOpen, message: "ledger \(path) cannot be opened: \(words); \(remedy)")
    }

    static func newer(_ path: String, found: Int64, known: Int64) -> Self {
        let copy = LedgerCopy.all(of: path).first { $0.version <= known }
        let older = copy.map { "roll back to the copy \($0.path), which lacks the changes since the upgrade, " } ?? ""
        let remedy =
            "start the newer bgtaskd that wrote the ledger, \(older)or use another --state-directory;"
            + " nothing was changed"
        return Self(
            code: .newer,
            message: "ledger \(path) has version \(found), but this host supports versions up to \(known); \(remedy)"
        )
    }

    /// The refusal of a ledger that another build of the host migrated by steps that this host does not have.
    static func unknown(_ path: String, steps: [String]) -> Self {
        let names = steps.map { "\"\($0)\"" }.joined(separator: ", ")
        return Self(
            code: .newer,
            message: "ledger \(path) has the migration \(steps.count == 1 ? "step" : "steps") \(names), which this host"
                + " does not support; start the bgtaskd that wrote the ledger, or use another --state-directory;"
                + " nothing was changed"
        )
    }

    static func notALedger(_ path: String) -> Self {
        let remedy = "use another --state-directory; nothing was changed"
        return Self(code: .notALedger, message: "\(path) is another program's database, not a ledger; \(remedy)")
    }

    static func notADatabase(_ path: String) -> Self {
        Self(code: .damaged, message: "\(path) is not an SQLite database; \(repair(path))", checked: path)
    }

    static func damaged(_ path: String, finding: String) -> Self {
        Self(code: .damaged, message: "ledger \(path) is damaged: \(finding); \(repair(path))", checked: path)
    }

    static func foreignLog(_ path: String, problem: String) -> Self {
        let remedy = "restore the write-ahead log of the ledger; if that log is lost, move \(path)-wal aside:"
        return Self(
            code: .damaged,
            message: "\(path)-wal is not a usable log of its ledger: \(problem); \(remedy)"
                + " the host then starts without the changes of the lost log",
            checked: path
        )
    }

    static func damagedLog(_ path: String, _ damage: WriteAheadLog.Damage) -> Self {
        let choice =
            switch damage.transactions {
            case 0: "give up all commits of this log"
            case 1: "keep only the 1 commit before the damage"
            default: "keep only the \(damage.transactions) commits before the damage"
            }
        return Self(
            code: .damaged,
            message:
                "\(path)-wal is damaged at frame \(damage.frame), and commits after this frame cannot be read; restore"
                + " \(path) and \(path)-wal from a copy, or \(choice), with:"
                + " sqlite3 \(path) 'PRAGMA wal_checkpoint(TRUNCATE)'",
            checked: path
        )
    }

    static func logWithoutLedger(_ path: String) -> Self {
        Self(
            code: .damaged,
            message: "\(path) is missing or empty, but \(path)-wal beside it contains changes;"
                + " restore the ledger to which this log belongs, or move \(path)-wal aside to begin with an empty"
                + " ledger"
        )
    }

    static func noSpaceToUpgrade(_ path: String, version: Int64, needed: Int64, free: Int64) -> Self {
        Self(
            code: .notCopied,
            message: "ledger \(path) cannot be upgraded from version \(version) to \(LedgerSchema.version): the upgrade"
                + " and the copy before it need \(kibibytes(needed)) on the disk of the ledger, which has"
                + " \(kibibytes(free)) free; free space there and start again; the ledger is unchanged"
        )
    }

    private static func kibibytes(_ bytes: Int64) -> String { "\(bytes >> 10) KiB" }

    static func cannotCopy(_ path: String, to copy: String, version: Int64, cause: any Error) -> Self {
        let (result, number) = ((cause as? DatabaseError)?.resultCode, (cause as? SystemError)?.number)
        let remedy =
            switch (result, number) {
            case (.SQLITE_FULL, _), (_, ENOSPC), (_, EDQUOT): "free space on its disk"
            case (.SQLITE_CORRUPT, _), (.SQLITE_NOTADB, _), (.SQLITE_IOERR, _), (_, EIO):
                "examine disk and ledger with: bgtask host check; if the ledger is damaged, restore it from a backup,"
            case (_, EMFILE), (_, ENFILE):
                "raise the host's limit of open files (RLIMIT_NOFILE, LimitNOFILE= of its service)"
            case (_, EISDIR), (_, ENOTEMPTY), (_, EEXIST): "move the file or directory \(copy) away"
            case (_, EPERM): "give the ledger to the host's user and group"
            default: "let the host's user write the directory of the ledger"
            }
        return Self(
            code: .notCopied,
            message: "ledger \(path) cannot be upgraded from version \(version) to \(LedgerSchema.version), because its"
                + " copy \(copy) cannot be made: \(cause); \(remedy) and start again; the ledger is unchanged"
        )
    }

    static func nothingToBackUp(_ path: String) -> Self {
        Self(
            code: .notCopied,
            message: "there is no ledger \(path) to back up; start the host once, or name another directory with"
                + " --state-directory"
        )
    }

    static func closed(_ place: String) -> Self {
        Self(
            code: .closed,
            message: "ledger \(place) is closed because the host is stopping; try again when the host runs again"
        )
    }

    /// Converts an error of the ledger's implementation or of SQLite: adds the operation, the file and the remedy.
    init(_ error: any Error, while operation: String, in place: String) {
        switch error {
        case let error as LedgerError:
            self = error
        case LedgerFault.unreadable(let table, let row, let column, let found):
            let rule = "which this host does not support"
            let remedy = "start the bgtaskd that wrote the row, or restore the ledger from a copy"
            self.init(
                code: .unreadable,
                message: "ledger \(place): table \(table), \(row): \(column) holds \(found), \(rule); \(remedy)"
            )
        case LedgerFault.missingColumn(let table, let column):
            self.init(
                code: .unreadable,
                message: "ledger \(place): table \(table) has no column \(column), which this host reads;"
                    + " restore the ledger from a copy"
            )
        case LedgerFault.contradiction(let text):
            let remedy = "restart bgtaskd, which continues with the contents of the ledger, and report this line"
            self.init(code: .contradiction, message: "ledger \(place) failed at \(operation): \(text); \(remedy)")
        case LedgerFault.damaged(let finding):
            self = .damaged(place, finding: finding)
        case let error as DatabaseError:
            self.init(error, while: operation, in: place)
        default:
            self.init(code: .storage, message: "ledger \(place) failed at \(operation): \(error)")
        }
    }

    private init(_ error: DatabaseError, while operation: String, in place: String) {
        let words = error.message ?? "no details"
        let cause = "SQLite \(error.extendedResultCode.rawValue), \(words)"
        let remedy =
            switch error.resultCode {
            case .SQLITE_FULL: "free space on its disk"
            // The index of the write-ahead log is a file beside the ledger.
            case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE: "free space on its disk"
            case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
                "let the host's user write the file, its -wal and -shm beside it, and their directory"
            case .SQLITE_CANTOPEN:
                "let the host's user write the file, its -wal and -shm beside it, and their directory, and if the host"
                    + " has reached its limit of open files (RLIMIT_NOFILE), raise that limit"
            case .SQLITE_IOERR, .SQLITE_NOLFS: "check the kernel's log for disk errors"
            case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL: "end the other program that has the file open"
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: Self.repair(place)
            case .SQLITE_NOMEM: "give the host more memory"
            default: "report this line: it is a defect of bgtaskd"
            }
        let code: Code =
            switch error.resultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: .damaged
            case .SQLITE_CONSTRAINT: .contradiction
            default: .storage
            }
        self.init(
            code: code,
            sqliteCode: error.extendedResultCode.rawValue,
            message: "ledger \(place) failed at \(operation): \(cause); \(remedy)",
            checked: code == .damaged ? place : nil
        )
    }

    private static func repair(_ place: String) -> String {
        "restore the ledger from a copy, or move \(place), \(place)-wal and \(place)-shm aside to begin with an empty"
            + " ledger"
    }

    private static func check(_ path: String) -> String {
        // A host keeps its ledger in the subdirectory `ledger` of its state directory.
        var directory = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
        if directory.hasSuffix("/ledger") { directory = directory.dropLast("/ledger".count) }
        return "bgtask host check --state-directory \(directory) shows the damage"
    }
}
