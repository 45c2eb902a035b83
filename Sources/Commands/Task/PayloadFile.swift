// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import Foundation
import TaskModel

/// The file whose bytes go with a submission.
enum PayloadFile {
    static func bytes(ofFileAt path: String) throws -> [UInt8] {
        let handle: FileHandle
        do {
            handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        } catch {
            throw ValidationError("--payload \(path) cannot be read: \((error as NSError).localizedDescription)")
        }
        let limit = TaskRequest.maximumPayload
        // One byte more than allowed is enough to know, however long the file is.
        guard let data = try? handle.read(upToCount: limit + 1) ?? Data() else {
            throw ValidationError("--payload \(path) cannot be read; give a file, not a folder")
        }
        if data.count > limit {
            throw ValidationError("--payload \(path) has more than \(limit) bytes; hand over a file's name instead")
        }
        return Array(data)
    }
}
