// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// A benchmark that cannot go on, with its cause.
package struct BenchmarkError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }

    /// Prints the error that `body` throws and ends the process.
    package static func exiting(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }
}
