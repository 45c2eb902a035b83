// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A task identifier bound to an exported C function of a library that does not use bgtask. The operator is responsible
/// for the signature: the library contains no information by which the host could verify it.
package struct FunctionBinding: Hashable, Sendable {
    /// Maximum number of arguments: more than C functions usually have, and far fewer than `libffi` can pass.
    package static let mostArguments = 32
    /// The library that calls functions by a signature known only at run time; part of Debian's libffi8.
    package static let libffi = "libffi.so.8"

    package let identifier: TaskIdentifier
    package let symbol: String
    package let arguments: [FunctionArgument]
    package let result: FunctionResult

    package init(
        identifier: TaskIdentifier,
        symbol: String,
        arguments: [FunctionArgument],
        result: FunctionResult
    ) {
        self.identifier = identifier
        self.symbol = symbol
        self.arguments = arguments
        self.result = result
    }

    /// The signature in C, such as `int32_t logtrim_run(const char *, int64_t, int32_t *)`.
    package var signature: String {
        let types = arguments.flatMap(\.types)
        let space = result.type.hasSuffix("*") ? "" : " "
        return "\(result.type)\(space)\(symbol)(\(types.isEmpty ? "void" : types.joined(separator: ", ")))"
    }

    /// Whether the function receives a flag that reports expiration.
    package var hasCancelFlag: Bool { arguments.contains(.cancelFlag) }

    /// The flaw in the name of a function; nil for a name that a library can export. No library is searched.
    package static func flaw(inSymbol name: String) -> DirectFlaw? {
        if let at = name.firstIndex(of: "@"), at > name.startIndex {
            return DirectFlaw(rule: "a name with a symbol version", remedy: "write only \"\(name[..<at])\"")
        }
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "$"):
                true
            default: false
            }
        }
        let startsWithDigit = name.utf8.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? true
        if isName, !startsWithDigit, name.utf8.count <= 1024 { return nil }
        return DirectFlaw(
            rule: "not the name of a C function",
            remedy: "write only the name, as nm -D prints it, without types or parentheses"
        )
    }
}

/// A flaw in a part of a function binding, such as an argument: the violated rule, and the remedy.
package struct DirectFlaw: Error, Hashable, Sendable {
    /// The violated rule, as the end of a sentence that begins with the part and "is": `not a boolean`.
    package let rule: String
    package let remedy: String

    package init(rule: String, remedy: String) {
        self.rule = rule
        self.remedy = remedy
    }
}
