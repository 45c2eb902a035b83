// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CFFI
import Glibc
import PluginBinary
import TaskModel

/// A bound function of the library, looked up and prepared for calls before any task runs.
// Unchecked: the addresses are valid until the process ends. The function is only called on its identifier's queue.
struct BoundFunction: @unchecked Sendable {
    let handler: FunctionBinding
    private let caller: FunctionCaller
    private let function: FunctionCaller.Function
    private let interface: UnsafeMutablePointer<ffi_cif>

    init(
        _ handler: FunctionBinding,
        at address: UnsafeMutableRawPointer,
        calledBy caller: FunctionCaller
    ) throws(PluginLibrary.LoadError) {
        self.handler = handler
        self.caller = caller
        // The operator declares the type in the manifest; libffi uses the same declaration.
        function = unsafeBitCast(address, to: FunctionCaller.Function.self)
        interface = try caller.interface(
            returning: handler.result.foreignType,
            taking: handler.arguments.flatMap(\.foreignTypes)
        )
    }

    /// Calls the function and blocks until it returns. A wrong signature in the manifest may crash the process.
    func call(with context: CallContext) -> FunctionReturn {
        let arguments = CallArguments(handler.arguments, context)
        // Large enough for every result: libffi widens results smaller than a register.
        var result: UInt64 = 0
        errno = 0
        caller.call(function, interface, &result, arguments.addresses)
        return FunctionReturn(handler, result, error: errno, outputs: arguments.outputs)
    }
}

extension FunctionResult {
    fileprivate var foreignType: FunctionCaller.CType {
        switch self {
        case .void: .void
        case .int32: .int32
        case .int64: .int64
        case .pointer: .pointer
        }
    }
}

extension FunctionArgument {
    fileprivate var foreignTypes: [FunctionCaller.CType] {
        switch self {
        case .int32: [.int32]
        case .uint32: [.uint32]
        case .int64, .remainingMilliseconds: [.int64]
        case .uint64: [.uint64]
        case .double: [.double]
        case .bool: [.bool]
        case .bytes, .payload, .outString: [.pointer, .uint64]
        case .string, .cancelFlag, .containerPath, .setting, .download, .null, .outInt64: [.pointer]
        }
    }
}
