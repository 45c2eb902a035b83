// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Glibc
import RunnerWire

// The values that a plugin sees of an imitated host. Without an imitation they are the present ones.
extension ImitatedHost {
    /// The size in bytes by which a later minor version lengthens a struct of the host.
    private static let growth = 64
    /// Number that is added to a status or a reason, so that no version of the header defines the result.
    private static let offset = 10_000

    var minor: UInt32 { contains(.laterMinor) ? BGTASK_ABI_MINOR + 1 : BGTASK_ABI_MINOR }

    /// The `size` field of a struct of the host.
    func size<Struct>(of type: Struct.Type) -> UInt32 {
        UInt32(MemoryLayout<Struct>.size + (contains(.laterMinor) ? Self.growth : 0))
    }

    /// The number that the plugin sees for a status or a reason; 0, for success or no reason, stays 0.
    func number<Number: FixedWidthInteger>(_ number: Number) -> Number {
        contains(.laterNumbers) && number != 0 ? number + Number(Self.offset) : number
    }

    /// Fills the bytes behind a struct, which the present version does not define, with a value that a plugin cannot
    /// mistake for a pointer or for zero.
    func fillGrowth<Struct>(behind address: UnsafeMutablePointer<Struct>) {
        guard contains(.laterMinor) else { return }
        memset(UnsafeMutableRawPointer(address) + MemoryLayout<Struct>.size, 0xa5, Self.growth)
    }

    /// Calls `body` with the address of a copy that has the size of this host's struct.
    func withCopy<Struct, Result>(of value: Struct, _ body: (UnsafePointer<Struct>) -> Result) -> Result {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: Int(size(of: Struct.self)),
            alignment: MemoryLayout<Struct>.alignment
        )
        defer { memory.deallocate() }
        let copy = memory.bindMemory(to: Struct.self, capacity: 1)
        copy.initialize(to: value)
        fillGrowth(behind: copy)
        return body(UnsafePointer(copy))
    }
}
