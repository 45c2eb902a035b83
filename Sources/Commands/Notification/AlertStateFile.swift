// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import LinuxSystem

/// The file with the progress of the command, from which a restarted command continues.
struct AlertStateFile {
    /// Absolute path; nil when nothing is stored.
    let path: String?

    static let largest = 16 << 20

    func read() throws -> AlertProgress {
        guard let path, FileManager.default.fileExists(atPath: path) else { return AlertProgress() }
        let remedy = "delete the file to begin after the newest entry, or name another with --state"
        do {
            let bytes = try InputFile.bytes(of: path, option: "--state", upTo: Self.largest)
            return try WireCoding.decode(AlertProgress.self, from: Data(bytes))
        } catch is DecodingError {
            throw CommandFailure(.refused, "--state \(path) is not a state file of this command", remedy: remedy)
        }
    }

    func write(_ progress: AlertProgress) throws {
        guard let path else { return }
        do {
            try AtomicFile.replace(path, with: Array(try WireCoding.encode(progress)))
        } catch let error as SystemError {
            let remedy = "give --state a file in a directory that you may write to"
            throw CommandFailure(.refused, "\(error)", remedy: remedy)
        }
    }
}
