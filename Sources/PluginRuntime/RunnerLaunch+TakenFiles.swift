// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import CLinux
import Glibc
import LinuxSystem
import RunnerWire
import Synchronization
import TaskModel

// Files of ended transfers, which the plugin moves to places of its own. The process of the launch moves them: it has
// the rights of the plugin, and no others.
extension RunnerLaunch {
    func takeTransfer(_ number: UInt64, to place: UnsafePointer<CChar>?, _ flags: UInt32) throws(CallProblem) {
        try permitTransfers("take")
        guard flags & ~UInt32(BGT_TAKE_REPLACE) == 0 else {
            throw CallProblem(
                status: BGT_TOO_NEW,
                message: "flags \(flags): only BGT_TAKE_REPLACE is known to this host; pass no other bit"
            )
        }
        let target = container + "/" + (try relativePath(place))
        let number = SubmissionNumber(rawValue: Int64(bitPattern: number))
        guard let file = try file(of: number) else { throw Self.withoutFile(number) }
        if access("\(container)/\(file)", F_OK) != 0 {
            // The plugin has moved or deleted the file without this call: nothing is left to take.
            forget(number)
            throw Self.withoutFile(number)
        }
        let error = -bgl_move("\(container)/\(file)", target, flags == 0 ? 0 : 1)
        if error != 0 { throw Self.problem(error, moving: number, to: target) }
        sync(directoryOf: target)
        forget(number)
    }

    /// Reports to the host that the file of a transfer is taken.
    private func forget(_ number: SubmissionNumber) {
        transferFiles.withLock { $0[number] = nil }
        channel.send(.transferTaken(number))
    }

    private static func withoutFile(_ number: SubmissionNumber) -> CallProblem {
        CallProblem(
            status: BGT_NOT_FOUND,
            message: "transfer \(number) has no file to take: it is open or unknown, or its file is taken"
        )
    }

    /// The file of an ended transfer, relative to the container; nil without one. The host knows its name.
    private func file(of number: SubmissionNumber) throws(CallProblem) -> String? {
        if let file = transferFiles.withLock({ $0[number] }) { return file }
        return try transfers(of: nil).first { $0.number == number }?.file
    }

    /// The place of a file in the container, as a path relative to the container.
    private func relativePath(_ place: UnsafePointer<CChar>?) throws(CallProblem) -> String {
        let text = place.flatMap { ForeignText.read($0, limit: TransferDescription.longestPath) }
        let prefix = container + "/"
        let path = text.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }
        let names = path?.split(separator: "/", omittingEmptySubsequences: false) ?? []
        guard let path, !names.isEmpty, !names.contains(where: { ["", ".", ".."].contains($0) }),
            names.first != TransferFiles.directory[...]
        else {
            throw CallProblem(
                status: BGT_INVALID,
                message: "to: NULL, or not a path in the container beyond \(TransferFiles.directory), such as"
                    + " photos/1.jpg; write it without an empty part, . and .., in UTF-8"
            )
        }
        return path
    }

    private static func problem(
        _ error: Int32,
        moving number: SubmissionNumber,
        to target: String
    ) -> CallProblem {
        if error == EEXIST {
            return CallProblem(
                status: BGT_DUPLICATE,
                message: "\(target) exists; name another file, or pass BGT_TAKE_REPLACE"
            )
        }
        let cause = String(cString: strerror(error))
        return CallProblem(
            status: BGT_UNAVAILABLE,
            message: "the file of transfer \(number) was not moved to \(target): \(cause); create the directory of the"
                + " file, and take it again"
        )
    }

    /// Writes the new name to disk before the host records that the file is taken: the host then deletes what is left
    /// below the old name.
    private func sync(directoryOf path: String) {
        guard let slash = path.lastIndex(of: "/"),
            let directory = try? Descriptor(opening: String(path[..<slash]), flags: O_RDONLY | O_DIRECTORY)
        else { return }
        fsync(directory.number)
    }
}

enum TransferFiles {
    /// The directory with the files of transfers, relative to the container.
    static let directory = ".transfers"
}
