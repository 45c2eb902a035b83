// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The argument values of one call in memory, in the order of the signature. The memory is never freed: the function
/// may keep an address, and the process ends with the launch.
struct CallArguments {
    /// A buffer in which the function may store a result.
    enum Output {
        case text(UnsafeMutablePointer<CChar>, size: Int)
        case number(UnsafeMutablePointer<Int64>)
    }

    /// Addresses of the argument values, in the order of the signature.
    let addresses: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private(set) var outputs: [Output] = []
    private let slots: UnsafeMutablePointer<UInt64>
    private var count = 0

    init(_ arguments: [FunctionArgument], _ context: CallContext) {
        let capacity = max(1, 2 * arguments.count)
        slots = .allocate(capacity: capacity)
        addresses = .allocate(capacity: capacity)
        for argument in arguments { add(argument, context) }
    }

    private mutating func add(_ argument: FunctionArgument, _ context: CallContext) {
        switch argument {
        case .string(let text): add(text)
        // Little-endian: the lower bytes of a slot hold the value of a narrower type.
        case .int32(let value): add(UInt64(UInt32(bitPattern: value)))
        case .uint32(let value): add(UInt64(value))
        case .int64(let value): add(UInt64(bitPattern: value))
        case .uint64(let value): add(value)
        case .double(let value): add(value.bitPattern)
        case .bool(let value): add(value ? 1 : 0)
        case .bytes(let bytes): add(bytes)
        case .cancelFlag: add(UInt64(UInt(bitPattern: context.flag.address)))
        // A copy with a NUL behind it. The pointer is not null when the payload is empty: copying zero bytes from a
        // null pointer is undefined in C.
        case .payload: add(context.payload?.bytes ?? [])
        case .containerPath: add(context.container)
        case .remainingMilliseconds: add(UInt64(bitPattern: Self.milliseconds(context.remaining)))
        // The manifest has a default for every setting that a signature uses.
        case .setting(let key): add(context.settings[key] ?? "")
        // The host sends the path of a downloaded file as a string.
        case .null, .download: add(0)
        case .outString(let size):
            let text = UnsafeMutablePointer<CChar>.allocate(capacity: size)
            text.initialize(repeating: 0, count: size)
            outputs.append(.text(text, size: size))
            add(text, count: UInt64(size))
        case .outInt64:
            let number = UnsafeMutablePointer<Int64>.allocate(capacity: 1)
            number.initialize(to: 0)
            outputs.append(.number(number))
            add(number)
        }
    }

    /// The remaining time in milliseconds; `Int64.max` without a fixed budget. Truncated to 32 bits the maximum is -1,
    /// which many interfaces use for "no limit".
    private static func milliseconds(_ remaining: Duration?) -> Int64 {
        guard let remaining else { return .max }
        return Int64(clamping: remaining.wholeNanoseconds / 1_000_000)
    }

    private mutating func add(_ value: UInt64) {
        (slots + count).initialize(to: value)
        (addresses + count).initialize(to: UnsafeMutableRawPointer(slots + count))
        count += 1
    }

    private mutating func add(_ bytes: [UInt8]) { add(bytes.storedWithEnd(), count: UInt64(bytes.count)) }

    private mutating func add(_ text: String) { add(Array(text.utf8).storedWithEnd()) }

    private mutating func add<Pointee>(_ pointer: UnsafeMutablePointer<Pointee>) {
        add(UInt64(UInt(bitPattern: pointer)))
    }

    private mutating func add<Pointee>(_ pointer: UnsafeMutablePointer<Pointee>, count: UInt64) {
        add(pointer)
        add(count)
    }
}

extension [UInt8] {
    /// A copy of the bytes followed by a NUL, so that a function that expects a C string finds the end.
    fileprivate func storedWithEnd() -> UnsafeMutablePointer<UInt8> {
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: count + 1)
        for (index, byte) in enumerated() { (memory + index).initialize(to: byte) }
        (memory + count).initialize(to: 0)
        return memory
    }
}
