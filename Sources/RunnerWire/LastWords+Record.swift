// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

extension LastWords {
    /// Size of a record in bytes, well below `PIPE_BUF`: a single `write` delivers it completely or not at all.
    package static let recordSize = 32

    private static let magic: UInt32 = 0x6267_744c

    /// Stores the record of a fatal signal. Async-signal-safe: it allocates nothing, takes no lock and only stores.
    ///
    /// - Parameter record: at least `recordSize` bytes, aligned to 8.
    package static func store(signal: Int32, address: UInt64, task: UInt64, in record: UnsafeMutableRawPointer) {
        record.storeBytes(of: magic.littleEndian, toByteOffset: 0, as: UInt32.self)
        record.storeBytes(of: signal.littleEndian, toByteOffset: 4, as: Int32.self)
        record.storeBytes(of: address.littleEndian, toByteOffset: 8, as: UInt64.self)
        record.storeBytes(of: task.littleEndian, toByteOffset: 16, as: UInt64.self)
        record.storeBytes(of: 0, toByteOffset: 24, as: UInt64.self)
    }

    /// Decodes a record that was read from the pipe.
    package init(record: [UInt8]) throws(WireError) {
        guard record.count == Self.recordSize else {
            throw WireError(
                code: record.count < Self.recordSize ? .tooShort : .trailingBytes,
                message: "a crash record has \(record.count) bytes instead of \(Self.recordSize)"
            )
        }
        var fields = FrameReader(record, in: record.indices)
        let magic: UInt32 = try fields.integer("lastWords.magic")
        let signal: Int32 = try fields.integer("lastWords.signal")
        let address: UInt64 = try fields.integer("lastWords.address")
        let task: UInt64 = try fields.integer("lastWords.task")
        let reserved: UInt64 = try fields.integer("lastWords.reserved")
        guard magic == Self.magic, reserved == 0, signal > 0 else {
            throw WireError(code: .unknownValue, message: "a crash record that no runner wrote")
        }
        // 0 stands for no task: identifiers count from 1 within their launch.
        self.init(signal: signal, address: address, task: task == 0 ? nil : TaskID(rawValue: task))
    }
}
