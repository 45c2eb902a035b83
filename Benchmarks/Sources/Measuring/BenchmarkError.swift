// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// An error that ends a benchmark, with its cause.
package struct BenchmarkError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }

    /// Runs `body`. Prints an error that it throws, and exits with status 1.
    package static func exiting(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }
}
