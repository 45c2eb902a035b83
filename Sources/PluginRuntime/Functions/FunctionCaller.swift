// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CFFI
import Glibc
import TaskModel

/// The library libffi, loaded into this process, which calls a function by a signature that is only known at run time.
/// Only launches that bind functions load it.
// Unchecked: all addresses are of code and constants and valid until the process ends.
struct FunctionCaller: @unchecked Sendable {
    typealias Function = @convention(c) () -> Void
    private typealias Prepare =
        @convention(c) (
            UnsafeMutablePointer<ffi_cif>, ffi_abi, UInt32, UnsafeMutablePointer<ffi_type>,
            UnsafeMutablePointer<UnsafeMutablePointer<ffi_type>?>?
        ) -> ffi_status
    private typealias Call =
        @convention(c) (
            UnsafeMutablePointer<ffi_cif>, Function, UnsafeMutableRawPointer?,
            UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        ) -> Void

    /// The C types that a signature can have; the raw value is the name of libffi's symbol.
    enum CType: String, CaseIterable {
        case void = "ffi_type_void"
        case int32 = "ffi_type_sint32"
        case uint32 = "ffi_type_uint32"
        case int64 = "ffi_type_sint64"
        case uint64 = "ffi_type_uint64"
        case bool = "ffi_type_uint8"
        case double = "ffi_type_double"
        case pointer = "ffi_type_pointer"
    }

    private let prepareCall: Prepare
    private let makeCall: Call
    private let types: [CType: UnsafeMutablePointer<ffi_type>]

    init() throws(PluginLibrary.LoadError) {
        guard let handle = dlopen(FunctionBinding.libffi, RTLD_NOW | RTLD_LOCAL) else {
            throw PluginLibrary.LoadError(
                message: "\(FunctionBinding.libffi), which calls bound functions, cannot be loaded:"
                    + " \(PluginLibrary.lastProblem()); install libffi8",
                isFFIMissing: true
            )
        }
        // libffi's own header declares these types for the symbols.
        prepareCall = unsafeBitCast(try Self.symbol("ffi_prep_cif", in: handle), to: Prepare.self)
        makeCall = unsafeBitCast(try Self.symbol("ffi_call", in: handle), to: Call.self)
        var types: [CType: UnsafeMutablePointer<ffi_type>] = [:]
        for type in CType.allCases {
            types[type] = try Self.symbol(type.rawValue, in: handle).assumingMemoryBound(to: ffi_type.self)
        }
        self.types = types
    }

    private static func symbol(
        _ name: String,
        in handle: UnsafeMutableRawPointer
    ) throws(PluginLibrary.LoadError) -> UnsafeMutableRawPointer {
        if let symbol = dlsym(handle, name) { return symbol }
        throw PluginLibrary.LoadError(
            message: "\(FunctionBinding.libffi) does not export \(name); reinstall libffi8",
            isFFIMissing: true
        )
    }

    /// Prepares libffi's description of a signature, which every call needs. The description is made once for each
    /// function and never freed.
    func interface(
        returning result: CType,
        taking arguments: [CType]
    ) throws(PluginLibrary.LoadError) -> UnsafeMutablePointer<ffi_cif> {
        let list = UnsafeMutablePointer<UnsafeMutablePointer<ffi_type>?>.allocate(capacity: max(1, arguments.count))
        for (index, type) in arguments.enumerated() { (list + index).initialize(to: types[type]) }
        let interface = UnsafeMutablePointer<ffi_cif>.allocate(capacity: 1)
        interface.initialize(to: ffi_cif())
        guard let result = types[result],
            prepareCall(interface, FFI_DEFAULT_ABI, UInt32(arguments.count), result, list) == FFI_OK
        else {
            throw PluginLibrary.LoadError(
                message: "\(FunctionBinding.libffi) of this machine cannot prepare the call of a bound function;"
                    + " reinstall libffi8",
                isFFIMissing: true
            )
        }
        return interface
    }

    /// Calls a function.
    ///
    /// - Parameters:
    ///   - result: address of eight bytes for the result; smaller results are widened.
    ///   - values: addresses of the arguments.
    func call(
        _ function: Function,
        _ interface: UnsafeMutablePointer<ffi_cif>,
        _ result: UnsafeMutableRawPointer,
        _ values: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) {
        makeCall(interface, function, result, values)
    }
}
