// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Encoding of bound functions. The codes are part of the wire format; manifest keywords may change, the codes do not.
private enum ArgumentCode: UInt8 {
    case string = 1
    case int32, uint32, int64, uint64, double, bool, bytes
    case cancelFlag, payload, containerPath, remainingMilliseconds, setting, null
    case outString, outInt64
}

extension FrameWriter {
    mutating func put(_ handler: FunctionBinding) {
        put(text: handler.identifier.text)
        put(text: handler.symbol)
        put(list: handler.arguments) { $0.put($1) }
        put(handler.result)
    }

    private mutating func put(_ argument: FunctionArgument) {
        switch argument {
        case .string(let text): put(.string, text: text)
        case .int32(let value): put(.int32, value)
        case .uint32(let value): put(.uint32, value)
        case .int64(let value): put(.int64, value)
        case .uint64(let value): put(.uint64, value)
        case .double(let value): put(.double, value.bitPattern)
        case .bool(let value): put(.bool, value ? 1 : 0 as UInt8)
        case .bytes(let bytes):
            put(ArgumentCode.bytes)
            put(bytes: bytes)
        case .cancelFlag: put(ArgumentCode.cancelFlag)
        case .payload: put(ArgumentCode.payload)
        case .containerPath: put(ArgumentCode.containerPath)
        case .remainingMilliseconds: put(ArgumentCode.remainingMilliseconds)
        case .setting(let key): put(.setting, text: key)
        // A downloaded file crosses as a string, its path. This argument has no file.
        case .null, .download: put(ArgumentCode.null)
        case .outString(let size): put(.outString, UInt32(clamping: size))
        case .outInt64: put(ArgumentCode.outInt64)
        }
    }

    private mutating func put(_ code: ArgumentCode, text: String) {
        put(code)
        put(text: text)
    }

    private mutating func put(_ code: ArgumentCode, _ value: some FixedWidthInteger) {
        put(code)
        put(value)
    }

    private mutating func put(_ result: FunctionResult) {
        switch result {
        case .void: put(1 as UInt8)
        case .int32(let rule): put(rule, 2)
        case .int64(let rule): put(rule, 3)
        case .pointer: put(4 as UInt8)
        }
    }

    private mutating func put(_ rule: FunctionResult.SuccessRule, _ type: UInt8) {
        put(type)
        switch rule {
        case .zero: put(1 as UInt8)
        case .nonzero: put(2 as UInt8)
        case .nonnegative: put(3 as UInt8)
        }
    }
}

extension FrameReader {
    mutating func handler() throws(WireError) -> FunctionBinding {
        let identifier = try name("handler.identifier", TaskIdentifier.init)
        let symbol = try name("handler.symbol") { FunctionBinding.flaw(inSymbol: $0) == nil ? $0 : nil }
        let arguments = try list("handler.arguments", minimumSize: 1) { fields throws(WireError) in
            try fields.argument()
        }
        guard arguments.count <= FunctionBinding.mostArguments else {
            throw WireError(
                code: .unknownValue,
                message: "handler.arguments: \(arguments.count) arguments exceed the maximum of"
                    + " \(FunctionBinding.mostArguments)"
            )
        }
        return FunctionBinding(identifier: identifier, symbol: symbol, arguments: arguments, result: try result())
    }

    private mutating func argument() throws(WireError) -> FunctionArgument {
        let code: ArgumentCode = try value("argument.kind")
        switch code {
        case .string: return .string(try text("argument.string"))
        case .int32: return .int32(try integer("argument.int32"))
        case .uint32: return .uint32(try integer("argument.uint32"))
        case .int64: return .int64(try integer("argument.int64"))
        case .uint64: return .uint64(try integer("argument.uint64"))
        case .double: return .double(Double(bitPattern: try integer("argument.double")))
        case .bool: return .bool(try flag("argument.bool"))
        case .bytes: return .bytes(try bytes("argument.bytes"))
        case .cancelFlag: return .cancelFlag
        case .payload: return .payload
        case .containerPath: return .containerPath
        case .remainingMilliseconds: return .remainingMilliseconds
        case .setting: return .setting(try text("argument.setting"))
        case .null: return .null
        case .outString:
            let size = Int(try integer("argument.outString") as UInt32)
            guard FunctionArgument.outStringSizes.contains(size) else {
                throw WireError(code: .unknownValue, message: "argument.outString: \(size) bytes is not a valid size")
            }
            return .outString(size: size)
        case .outInt64: return .outInt64
        }
    }

    private mutating func result() throws(WireError) -> FunctionResult {
        switch try integer("handler.result") as UInt8 {
        case 1: return .void
        case 2: return .int32(try rule())
        case 3: return .int64(try rule())
        case 4: return .pointer
        case let other:
            throw WireError(code: .unknownValue, message: "handler.result: \(other) is unknown to this version")
        }
    }

    private mutating func rule() throws(WireError) -> FunctionResult.SuccessRule {
        switch try integer("handler.rule") as UInt8 {
        case 1: return .zero
        case 2: return .nonzero
        case 3: return .nonnegative
        case let other:
            throw WireError(code: .unknownValue, message: "handler.rule: \(other) is unknown to this version")
        }
    }
}
