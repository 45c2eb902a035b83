// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc

/// Arrays of C strings that live for one call.
package enum CStrings {
    /// Calls `body` with the C strings, in an array that ends with a null pointer.
    package static func with<Result>(
        _ strings: [String],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let pointers: [UnsafePointer<CChar>?] = copies.map { $0.map { UnsafePointer($0) } } + [nil]
        return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }
}
