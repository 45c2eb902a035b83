// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import Foundation
import HostConfiguration
import TaskModel

/// Reads the payload of a submission or a trigger from a file, or from standard input when the path is `-`.
enum PayloadFile {
    static func help(_ reader: String) -> ArgumentHelp {
        ArgumentHelp(
            "Pass the bytes of this file to the \(reader), at most 64 KiB; - reads standard input.",
            valueName: "FILE|-"
        )
    }

    static func bytes(of name: String) throws -> [UInt8] {
        let limit = TaskRequest.maximumPayload
        // One byte above the limit is enough to detect a payload that is too large.
        let bytes = try name == "-" ? standardInput(upTo: limit + 1) : file(at: name, upTo: limit + 1)
        if bytes.count > limit {
            throw ValidationError(
                "--payload \(name) has more than \(limit) bytes; keep the data in a file that the plugin may"
                    + " read, and pass a payload that contains only the path of that file"
            )
        }
        return bytes
    }

    private static func standardInput(upTo limit: Int) throws -> [UInt8] {
        do {
            return try CommandContext.current.standardInput(limit)
        } catch {
            throw ValidationError("--payload -: standard input cannot be read: \(error.systemMessage)")
        }
    }

    private static func file(at path: String, upTo limit: Int) throws -> [UInt8] {
        let handle: FileHandle
        do {
            handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        } catch {
            throw ValidationError("--payload \(path) cannot be read: \(error.systemMessage)")
        }
        guard let data = try? handle.read(upToCount: limit) ?? Data() else {
            throw ValidationError("--payload \(path) cannot be read as a file; give the path of a regular file")
        }
        return Array(data)
    }
}
