// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import Foundation

/// A file of requests, one JSON object per line with the fields of `POST /v1/tasks`.
///
/// Each line is checked to be a JSON object before the first request is sent. The host checks the fields.
struct RequestFile {
    /// A part of the lines that fits in one call: the body of this call, and the numbers of the lines, counted from 1.
    struct Batch {
        var text = TaskBatchText()
        var numbers: [Int] = []
    }

    static let option = "--from"
    /// Maximum size of a file in bytes.
    static let largestFile = 64 << 20

    /// Number of requests.
    let count: Int
    private let bytes: [UInt8]

    /// Reads the file at a path, or standard input when the path is `-`.
    init(reading name: String) throws {
        let bytes = try InputFile.bytes(of: name, option: Self.option, upTo: Self.largestFile + 1)
        if bytes.count > Self.largestFile {
            throw ValidationError(
                "\(Self.option) \(name) has more than \(Self.largestFile) bytes; split it into several files"
            )
        }
        let place = name == "-" ? "standard input" : name
        var count = 0
        for line in Lines(of: bytes) {
            try Self.check(Data(line.json), "\(place), line \(line.number)")
            count += 1
        }
        (self.bytes, self.count) = (bytes, count)
    }

    /// The lines in order, in as few batches as the limits of the host permit. A batch is made when it is needed,
    /// because a file may have millions of lines.
    var batches: Batches { Batches(lines: Lines(of: bytes)) }

    struct Batches: Sequence, IteratorProtocol {
        private var lines: Lines
        /// The line that the last batch had no space for.
        private var rest: Lines.Element?

        fileprivate init(lines: Lines) { self.lines = lines }

        mutating func next() -> Batch? {
            var batch = Batch()
            while let line = rest ?? lines.next() {
                rest = batch.text.add(Data(line.json)) ? nil : line
                if rest != nil { break }
                batch.numbers.append(line.number)
            }
            return batch.numbers.isEmpty ? nil : batch
        }
    }

    /// The lines of a file without blank lines. It copies no bytes.
    fileprivate struct Lines: Sequence, IteratorProtocol {
        private let bytes: [UInt8]
        private var place = 0
        private var number = 0

        init(of bytes: [UInt8]) { self.bytes = bytes }

        mutating func next() -> (number: Int, json: ArraySlice<UInt8>)? {
            while place < bytes.count {
                let end = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                let line = bytes[place..<end]
                place = end + 1
                number += 1
                if !line.allSatisfy(Self.isBlank) { return (number, line) }
            }
            return nil
        }

        private static func isBlank(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
        }
    }

    /// Throws for a line that is no JSON object, or that is longer than one request of a batch may be.
    private static func check(_ line: Data, _ place: String) throws {
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
    }
}
