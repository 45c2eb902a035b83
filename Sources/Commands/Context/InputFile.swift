// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import Foundation
import HostConfiguration

/// Reads the file of an option, or standard input when the path is `-`.
enum InputFile {
    /// The bytes of the file.
    ///
    /// - Parameters:
    ///   - option: the option for messages, such as `--payload`.
    ///   - limit: maximum number of bytes. Further bytes are not read.
    static func bytes(of name: String, option: String, upTo limit: Int) throws -> [UInt8] {
        try name == "-" ? standardInput(option, upTo: limit) : file(at: name, option, upTo: limit)
    }

    private static func standardInput(_ option: String, upTo limit: Int) throws -> [UInt8] {
        do {
            return try CommandContext.current.standardInput(limit)
        } catch {
            throw ValidationError("\(option) -: standard input cannot be read: \(error.systemMessage)")
        }
    }

    private static func file(at path: String, _ option: String, upTo limit: Int) throws -> [UInt8] {
        let handle: FileHandle
        do {
            handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        } catch {
            throw ValidationError("\(option) \(path) cannot be read: \(error.systemMessage)")
        }
        guard let data = try? handle.read(upToCount: limit) ?? Data() else {
            throw ValidationError("\(option) \(path) cannot be read as a file; give the path of a regular file")
        }
        return Array(data)
    }
}
