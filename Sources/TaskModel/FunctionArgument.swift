// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// One argument of a bound function: a value stated in the manifest, or a value of the launch.
package enum FunctionArgument: Hashable, Sendable {
    case string(String)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case bool(Bool)
    /// Bytes that are passed as pointer and length.
    case bytes([UInt8])
    /// A pointer to an `int32_t`. The runner sets the integer to 1 when the task expires.
    case cancelFlag
    /// The payload that was submitted with the request, as pointer and length.
    case payload
    case containerPath
    /// The milliseconds left of the launch's budget at the time of the call: at least 0, and `Int64.max` without a
    /// fixed budget.
    case remainingMilliseconds
    /// The value of the plugin's setting with this key.
    case setting(String)
    /// The path of a file that the host downloads from this URL before the launch.
    case download(String)
    case null
    /// A buffer of `size` bytes, passed as pointer and size. The text that the function stores in it is journaled, cut
    /// if it is long.
    case outString(size: Int)
    case outInt64

    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case string, int32, uint32, int64, uint64, double, bool, bytes
        case cancelFlag = "cancel-flag"
        case payload
        case containerPath = "container-path"
        case remainingMilliseconds = "remaining-ms"
        case setting, download, null
        case outString = "out-string"
        case outInt64 = "out-int64"
    }

    package static let outStringSizes = 1...65_536
    /// Maximum length of a string, a setting key or a byte array, in bytes.
    package static let longestValue = 65_536

    package var kind: Kind {
        switch self {
        case .string: .string
        case .int32: .int32
        case .uint32: .uint32
        case .int64: .int64
        case .uint64: .uint64
        case .double: .double
        case .bool: .bool
        case .bytes: .bytes
        case .cancelFlag: .cancelFlag
        case .payload: .payload
        case .containerPath: .containerPath
        case .remainingMilliseconds: .remainingMilliseconds
        case .setting: .setting
        case .download: .download
        case .null: .null
        case .outString: .outString
        case .outInt64: .outInt64
        }
    }

    /// The C types of the parameters of this argument. An argument that is passed as pointer and length has two types.
    package var types: [String] {
        switch self {
        case .string, .containerPath, .setting, .download: ["const char *"]
        case .int32: ["int32_t"]
        case .uint32: ["uint32_t"]
        case .int64, .remainingMilliseconds: ["int64_t"]
        case .uint64: ["uint64_t"]
        case .double: ["double"]
        case .bool: ["bool"]
        case .bytes, .payload: ["const void *", "size_t"]
        case .cancelFlag: ["int32_t *"]
        case .null: ["void *"]
        case .outString: ["char *", "size_t"]
        case .outInt64: ["int64_t *"]
        }
    }
}
