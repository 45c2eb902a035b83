// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

// Complete reads and writes of open files: a partial call is continued, and an interrupted one is repeated.
extension FileBytes {
    /// The bytes of an open file from `offset` on: `count` bytes, or fewer when the file ends earlier. The position of
    /// the descriptor is neither used nor moved.
    ///
    /// - Parameter attempt: the purpose, for the error.
    package static func range(
        of descriptor: CInt,
        from offset: Int = 0,
        count: Int,
        for attempt: @autoclosure () -> String
    ) throws(SystemError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let rest = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<count]
                )
                let result = pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(filled))
                if result > 0 {
                    filled += result
                } else if result == 0 {
                    return
                } else if errno != EINTR {
                    failure = errno
                    return
                }
            }
        }
        if failure != 0 { throw SystemError(number: failure, attempt: attempt()) }
        return bytes
    }

    /// Writes all bytes at the position of the descriptor.
    ///
    /// - Parameter attempt: the purpose, for the error.
    package static func write(
        _ bytes: ArraySlice<UInt8>,
        to descriptor: CInt,
        for attempt: @autoclosure () -> String
    ) throws(SystemError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw SystemError(number: errno, attempt: attempt())
            }
        }
    }
}
