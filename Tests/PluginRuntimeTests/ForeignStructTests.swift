// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import PluginRuntime
import StatementTraits
import Testing

// A struct as minor 0 defines it, and as a later minor extends it.
private struct Short { var size: UInt32 = 0, kind: UInt32 = 0; var number: UInt64 = 0 }
private struct Long { var size: UInt32 = 0, kind: UInt32 = 0; var number: UInt64 = 0, added: UInt64 = 0 }

@Suite("Structs may grow only at their end", .proves("BGT-ABI-03"))
struct ForeignStructTests {
    @Test func `an ABI struct of the host's own size is read completely`() {
        let reading = read(bytes(size: 16, kind: 7, rest: [9]), as: Short.self)
        #expect(reading?.kind == 7)
        #expect(reading?.number == 9)
    }

    @Test func `the missing end of an older plugin's shorter struct is read as zero`() {
        let reading = read(bytes(size: 16, kind: 7, rest: [9, 0xffff]), as: Long.self, minimum: 16)
        #expect(reading?.number == 9)
        #expect(reading?.added == 0)
    }

    @Test func `a newer plugin's longer struct is read if its tail is zero`() {
        #expect(read(bytes(size: 40, kind: 7, rest: [9, 0, 0, 0]), as: Short.self)?.number == 9)
    }

    @Test func `a newer plugin's struct with a non-zero byte anywhere in its tail is too new`() {
        for index in 16..<40 {
            var bytes = bytes(size: 40, kind: 7, rest: [9, 0, 0, 0])
            bytes[index] = 1
            #expect(outcome(bytes, as: Short.self) == "too new")
        }
    }

    @Test(arguments: [0, 1, 15, 4097, .max] as [UInt32])
    func `an ABI struct with a size below its minimum or above its limit is refused`(size: UInt32) {
        #expect(outcome(bytes(size: size, kind: 7, rest: [9, 0]), as: Short.self) == "invalid")
    }

    @Test func `a misaligned ABI struct is read correctly`() {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 8)
        defer { memory.deallocate() }
        (memory + 3).copyMemory(from: bytes(size: 16, kind: 7, rest: [9]), byteCount: 16)
        guard case .value(let short) = ForeignStruct.read(memory + 3, as: Short.self, minimum: 16) else {
            Issue.record("not read")
            return
        }
        #expect(short.number == 9)
    }

    @Test func `filling an ABI struct writes only within the caller's size and keeps the size field`() {
        let filled = fill(size: 16, with: Long(size: 99, kind: 1, number: 2, added: 3), minimum: 16)
        #expect(filled.prefix(16) == ArraySlice(bytes(size: 16, kind: 1, rest: [2])))
        #expect(filled.dropFirst(16).allSatisfy { $0 == 0xee })
    }

    @Test func `filling a newer plugin's struct zeroes the fields that this host does not define`() {
        let filled = fill(size: 32, with: Short(size: 99, kind: 1, number: 2), minimum: 16)
        #expect(filled.prefix(32) == ArraySlice(bytes(size: 32, kind: 1, rest: [2, 0, 0])))
        #expect(filled.dropFirst(32).allSatisfy { $0 == 0xee })
    }

    @Test(arguments: [0, 15, 4097] as [UInt32])
    func `an ABI struct of an impossible size is not written`(size: UInt32) {
        let filled = fill(size: size, with: Short(kind: 1, number: 2), minimum: 16)
        #expect(filled.dropFirst(4).allSatisfy { $0 == 0xee })
    }

    @Test(.proves("BGT-ABI-03"))
    func `the smallest struct sizes are those of minor 0 without the deadline of a request and the fence of a task`() {
        #expect(BGTASK_ABI_MINOR == 0)
        #expect(ForeignStruct.MinorZero.request == MemoryLayout<bgt_request>.offset(of: \.expires_at_ns))
        #expect(ForeignStruct.MinorZero.refusal == MemoryLayout<bgt_refusal>.size)
        #expect(ForeignStruct.MinorZero.launchInfo == MemoryLayout<bgt_launch_info>.size)
        #expect(ForeignStruct.MinorZero.taskInfo == MemoryLayout<bgt_task_info>.offset(of: \.fleet_item))
        #expect(ForeignStruct.MinorZero.plugin == MemoryLayout<bgt_plugin>.size)
    }

    private func bytes(size: UInt32, kind: UInt32, rest: [UInt64]) -> [UInt8] {
        var bytes: [UInt8] = []
        withUnsafeBytes(of: size) { bytes += $0 }
        withUnsafeBytes(of: kind) { bytes += $0 }
        for number in rest { withUnsafeBytes(of: number) { bytes += $0 } }
        return bytes
    }

    private func read<Value>(_ bytes: [UInt8], as type: Value.Type, minimum: Int? = nil) -> Value? {
        bytes.withUnsafeBytes { buffer in
            guard let address = buffer.baseAddress else { return nil }
            let minimum = minimum ?? MemoryLayout<Value>.size
            guard case .value(let value) = ForeignStruct.read(address, as: type, minimum: minimum) else { return nil }
            return value
        }
    }

    private func outcome<Value>(_ bytes: [UInt8], as type: Value.Type) -> String {
        bytes.withUnsafeBytes { buffer in
            guard let address = buffer.baseAddress else { return "no bytes" }
            switch ForeignStruct.read(address, as: type, minimum: MemoryLayout<Value>.size) {
            case .value: return "value"
            case .tooNew: return "too new"
            case .invalid: return "invalid"
            }
        }
    }

    /// The memory of a struct after `fill`: 64 bytes that were 0xee, beginning with the size field.
    private func fill<Value>(size: UInt32, with value: Value, minimum: Int) -> [UInt8] {
        var memory = [UInt8](repeating: 0xee, count: 64)
        memory.withUnsafeMutableBytes { buffer in
            buffer.storeBytes(of: size, as: UInt32.self)
            guard let address = buffer.baseAddress else { return }
            let isPossible = size >= UInt32(minimum) && size <= ForeignStruct.longest
            #expect(ForeignStruct.fill(address, with: value, minimum: minimum) == isPossible)
            #expect(ForeignStruct.canFill(address, minimum: minimum) == isPossible)
        }
        return memory
    }
}
