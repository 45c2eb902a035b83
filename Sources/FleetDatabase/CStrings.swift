// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Arrays of C strings for libpq, valid during one call.
enum CStrings {
    /// Calls `body` with pointers to the strings, followed by a null pointer. Nil is a null pointer.
    static func with<Result>(
        _ strings: [String?],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        let copies = strings.map { $0.flatMap { strdup($0) } }
        defer { for copy in copies { free(copy) } }
        let pointers = copies.map { $0.map { UnsafePointer($0) } } + [nil]
        return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }
}
