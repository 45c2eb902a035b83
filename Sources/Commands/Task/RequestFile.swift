// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import Foundation

/// A file of requests, one JSON object per line with the fields of `POST /v1/tasks`.
///
/// Each line is checked to be a JSON object before the first request is sent. The host checks the fields.
struct RequestFile {
    /// A request with its line number, counted from 1.
    struct Line: Hashable {
        let number: Int
        let json: Data
    }

    /// A part of the lines that fits in one call, and the body of this call.
    struct Batch {
        var text = TaskBatchText()
        var numbers: [Int] = []
    }

    static let option = "--from"
    /// Maximum size of a file in bytes.
    static let largestFile = 64 << 20

    let lines: [Line]

    /// Reads the file at a path, or standard input when the path is `-`.
    init(reading name: String) throws {
        let bytes = try InputFile.bytes(of: name, option: Self.option, upTo: Self.largestFile + 1)
        if bytes.count > Self.largestFile {
            throw ValidationError(
                "\(Self.option) \(name) has more than \(Self.largestFile) bytes; split it into several files"
            )
        }
        let place = name == "-" ? "standard input" : name
        lines = try bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
            .compactMap { index, line in
                if line.allSatisfy({ Self.blanks.contains($0) }) { return nil }
                return try Line(number: index + 1, json: Self.checked(Data(line), "\(place), line \(index + 1)"))
            }
    }

    /// The lines in order, in as few batches as the limits of the host permit.
    var batches: [Batch] {
        var batches: [Batch] = []
        for line in lines {
            if batches.isEmpty || !batches[batches.count - 1].text.add(line.json) {
                var batch = Batch()
                _ = batch.text.add(line.json)
                batches.append(batch)
            }
            batches[batches.count - 1].numbers.append(line.number)
        }
        return batches
    }

    private static let blanks = Set(" \t\r".utf8)

    /// The line if it is a JSON object of a permitted size.
    private static func checked(_ line: Data, _ place: String) throws -> Data {
        if line.count > TaskBatchText.largestRequest {
            throw ValidationError(
                "\(place) has \(line.count) bytes; at most \(TaskBatchText.largestRequest) are allowed; keep the data in a"
                    + " file that the plugin may read, and pass a payload that contains only the path of that file"
            )
        }
        guard case .object? = try? JSONValue(parsing: line) else {
            throw ValidationError(
                "\(place) is not a JSON object; write one object per line, such as"
                    + #" {"identifier": "com.example.feed.refresh", "kind": "refresh"}; nothing is submitted"#
            )
        }
        return line
    }
}
