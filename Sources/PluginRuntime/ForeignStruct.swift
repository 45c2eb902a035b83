// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Reads and fills structs at addresses that a plugin gave, by the size that it wrote into them (BGT-ABI-03). Knows no
/// struct in particular, and cannot tell a good address from a bad one.
package enum ForeignStruct {
    /// No struct of the ABI is near this long: a larger size is a stray number, not a newer plugin.
    package static let longest: UInt32 = 4096

    package enum Reading<Value> {
        case value(Value)
        /// It uses fields that this host does not know.
        case tooNew
        /// Its size is none that this struct ever had.
        case invalid
    }

    /// - Parameter minimum: the struct's size in minor 0.
    package static func read<Value>(
        _ address: UnsafeRawPointer,
        as type: Value.Type,
        minimum: Int = MemoryLayout<Value>.size
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
        // Every struct of the ABI is plain numbers and pointers: any bytes are a value of it.
        return .value(copy.pointee)
    }

    /// Copies what fits of `value`, zeroes what this host does not know, and leaves the caller's size alone.
    ///
    /// - Returns: false, with nothing written, when the size is none that this struct ever had.
    package static func fill<Value>(
        _ address: UnsafeMutableRawPointer,
        with value: Value,
        minimum: Int = MemoryLayout<Value>.size
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

    /// Whether `fill` would write.
    package static func canFill(_ address: UnsafeRawPointer, minimum: Int) -> Bool {
        size(at: address, minimum: minimum) != nil
    }

    private static func size(at address: UnsafeRawPointer, minimum: Int) -> Int? {
        let size = address.loadUnaligned(as: UInt32.self)
        return size <= longest && size >= minimum ? Int(size) : nil
    }
}
