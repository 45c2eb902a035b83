// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CSeccomp
import Glibc

/// A compiled filter of system calls, evaluated without loading it: the instructions of classic BPF that libseccomp uses.
struct FilterProgram {
    private struct Instruction {
        let code: UInt16
        let ifTrue: Int
        let ifFalse: Int
        let value: UInt32
    }

    /// An instruction that the evaluation does not know.
    struct UnknownInstruction: Error { let code: UInt16 }

    private let instructions: [Instruction]

    init(_ bytes: [UInt8]) {
        instructions = stride(from: 0, to: bytes.count, by: 8).map { start in
            let word = { (at: Int, size: Int) in
                (0..<size).reduce(UInt32(0)) { $0 | UInt32(bytes[start + at + $1]) << (8 * UInt32($1)) }
            }
            return Instruction(
                code: UInt16(word(0, 2)),
                ifTrue: Int(word(2, 1)),
                ifFalse: Int(word(3, 1)),
                value: word(4, 4)
            )
        }
    }

    /// The errno that the filter answers to a call on this architecture; 0 when it allows the call, or lets it succeed
    /// without effect.
    func errno(_ call: String, _ arguments: UInt64...) throws -> Int32 {
        let answer = try action(on: call, arguments)
        return answer == bgs_allow() ? 0 : Int32(answer & 0xffff)
    }

    /// Whether the filter lets a call succeed without effect.
    func ignores(_ call: String, _ arguments: UInt64...) throws -> Bool {
        try action(on: call, arguments) == bgs_ignore()
    }

    private func action(on call: String, _ arguments: [UInt64]) throws -> UInt32 {
        let data = [UInt32(bitPattern: seccomp_syscall_resolve_name(call)), seccomp_arch_native(), 0, 0]
        let words = (arguments + Array(repeating: 0, count: 6 - arguments.count)).flatMap {
            [UInt32(truncatingIfNeeded: $0), UInt32(truncatingIfNeeded: $0 >> 32)]
        }
        return try run(on: data + words)
    }

    private func run(on data: [UInt32]) throws -> UInt32 {
        var (position, accumulator) = (0, UInt32(0))
        while true {
            let instruction = instructions[position]
            position += 1
            let value = instruction.value
            func jump(_ condition: Bool) { position += condition ? instruction.ifTrue : instruction.ifFalse }
            switch instruction.code {
            case 0x20: accumulator = data[Int(value) / 4]  // load a word
            case 0x54: accumulator &= value
            case 0x05: position += Int(value)
            case 0x15: jump(accumulator == value)
            case 0x25: jump(accumulator > value)
            case 0x35: jump(accumulator >= value)
            case 0x45: jump(accumulator & value != 0)
            case 0x06: return value
            default: throw UnknownInstruction(code: instruction.code)
            }
        }
    }
}
