// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CFFI
import Glibc
import PluginBinary
import TaskModel

/// A function of the library, ready to be called: looked up and prepared before any task runs.
// Addresses that are valid until the process ends. The function is called on its identifier's queue alone.
struct BoundFunction: @unchecked Sendable {
    let handler: DirectHandler
    private let caller: FunctionCaller
    private let function: FunctionCaller.Function
    private let interface: UnsafeMutablePointer<ffi_cif>

    init(
        _ handler: DirectHandler,
        at address: UnsafeMutableRawPointer,
        calledBy caller: FunctionCaller
    ) throws(PluginLibrary.LoadError) {
        self.handler = handler
        self.caller = caller
        // Its type is the operator's word; libffi is told the same.
        function = unsafeBitCast(address, to: FunctionCaller.Function.self)
        interface = try caller.interface(
            returning: handler.result.foreignType,
            taking: handler.arguments.flatMap(\.foreignTypes)
        )
    }

    /// Blocks for as long as the function takes. A signature that is not the function's may end the process.
    func call(with surroundings: CallSurroundings) -> FunctionReturn {
        let arguments = CallArguments(handler.arguments, surroundings)
        // Wide enough for every result: libffi widens what is smaller than a register.
        var result: UInt64 = 0
        errno = 0
        caller.call(function, interface, &result, arguments.addresses)
        return FunctionReturn(handler, result, error: errno, outputs: arguments.outputs)
    }
}

extension DirectResult {
    fileprivate var foreignType: FunctionCaller.CType {
        switch self {
        case .void: .void
        case .int32: .int32
        case .int64: .int64
        case .pointer: .pointer
        }
    }
}

extension DirectArgument {
    fileprivate var foreignTypes: [FunctionCaller.CType] {
        switch self {
        case .int32: [.int32]
        case .uint32: [.uint32]
        case .int64, .remainingMilliseconds: [.int64]
        case .uint64: [.uint64]
        case .double: [.double]
        case .bool: [.bool]
        case .bytes, .payload, .outString: [.pointer, .uint64]
        case .string, .cancelFlag, .containerPath, .setting, .null, .outInt64: [.pointer]
        }
    }
}
