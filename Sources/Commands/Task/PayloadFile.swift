// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
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
        let bytes = try InputFile.bytes(of: name, option: "--payload", upTo: limit + 1)
        if bytes.count > limit {
            throw ValidationError(
                "--payload \(name) has more than \(limit) bytes; keep the data in a file that the plugin may"
                    + " read, and pass a payload that contains only the path of that file"
            )
        }
        return bytes
    }
}
