// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Reads and fills structs at addresses that a plugin passed. The size field that the plugin wrote limits each access
/// (BGT-ABI-03). It works for any struct of the ABI and does not validate addresses.
package enum ForeignStruct {
    /// Maximum valid size of a struct in bytes. No struct of the ABI is nearly as long: a larger size is an error, not
    /// a newer plugin.
    package static let longest: UInt32 = 4096

    /// Smallest valid sizes of the structs in bytes: those of minor version 0 of the ABI. They never change: a later
    /// minor lengthens a struct, and plugins of minor 0 still pass these sizes.
    package enum MinorZero {
        /// Without `expires_at_ns`, which libraries built with an early header of minor version 0 do not have.
        package static let request = 72
        package static let refusal = 256
        package static let launchInfo = 96
        /// Without `fleet_item` and `fence`, which libraries built with an early header of minor version 0 do not have.
        package static let taskInfo = 72
        package static let plugin = 48
        package static let cursorInfo = 40
        package static let transfer = 120
    }

    package enum Reading<Value> {
        case value(Value)
        /// The struct uses fields that this host does not support.
        case tooNew
        /// The size is below the minimum or above `longest`: no version of this struct has it.
        case invalid
    }

    /// Copies a struct of the plugin. Fields beyond the size in the struct are zero in the copy. Returns `tooNew` when
    /// a field that this host does not know is not zero.
    ///
    /// - Parameter minimum: size of the struct in minor version 0 of the ABI, in bytes.
    package static func read<Value>(
        _ address: UnsafeRawPointer,
        as type: Value.Type,
        minimum: Int
    ) -> Reading<Value> {
        guard let size = size(at: address, minimum: minimum) else { return .invalid }
        let known = min(size, MemoryLayout<Value>.size)
        let tail = UnsafeRawBufferPointer(start: address + known, count: size - known)
        guard tail.allSatisfy({ $0 == 0 }) else { return .tooNew }

        let copy = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        defer { copy.deallocate() }
        let bytes = UnsafeMutableRawBufferPointer(start: copy, count: MemoryLayout<Value>.size)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        bytes.copyMemory(from: UnsafeRawBufferPointer(start: address, count: known))
        // Every struct of the ABI consists of plain numbers and pointers: any bytes are a valid value.
        return .value(copy.pointee)
    }

    /// Copies the part of `value` that fits, zeroes the fields that this host does not support, and keeps the caller's
    /// size field.
    ///
    /// - Returns: false, with nothing written, when the size is invalid.
    package static func fill<Value>(
        _ address: UnsafeMutableRawPointer,
        with value: Value,
        minimum: Int
    ) -> Bool {
        guard let size = size(at: address, minimum: minimum) else { return false }
        let target = UnsafeMutableRawBufferPointer(start: address, count: size)
        let sizeField = MemoryLayout<UInt32>.size
        withUnsafeBytes(of: value) { source in
            let known = min(size, source.count)
            for index in sizeField..<known { target[index] = source[index] }
            for index in known..<size { target[index] = 0 }
        }
        return true
    }

    /// Whether `fill` accepts the size in the size field of the struct at `address`.
    ///
    /// - Parameter minimum: size of the struct in minor version 0 of the ABI, in bytes.
    package static func canFill(_ address: UnsafeRawPointer, minimum: Int) -> Bool {
        size(at: address, minimum: minimum) != nil
    }

    private static func size(at address: UnsafeRawPointer, minimum: Int) -> Int? {
        let size = address.loadUnaligned(as: UInt32.self)
        return size <= longest && size >= minimum ? Int(size) : nil
    }
}
