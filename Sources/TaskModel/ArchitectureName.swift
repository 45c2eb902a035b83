// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Names of machine architectures in manifests: the names that `uname -m` prints on Linux.
package enum ArchitectureName {
    /// The architectures for which bgtask is built.
    package static let supported = ["x86_64", "aarch64", "riscv64"]

    /// The verdict on a written name.
    package enum Verdict: Hashable, Sendable {
        case supported
        /// A well-formed name that is not supported. A later release may be built for this architecture.
        case unsupported
        /// Another spelling of a supported architecture.
        case misspelt(meant: String)
        /// The text does not have the form of a name: 3 to 32 characters of a-z, 0-9 and underscore, the first of them
        /// a letter.
        case malformed
    }

    package static func verdict(on name: String) -> Verdict {
        if supported.contains(name) { return .supported }
        if let meant = spellings[name.lowercased()] { return .misspelt(meant: meant) }
        let isPlain = name.utf8.allSatisfy { byte in
            (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
        }
        guard isPlain, lengths.contains(name.utf8.count), name.first?.isLetter == true else { return .malformed }
        return .unsupported
    }

    private static let lengths = 3...32
    /// The supported architectures, by the names of other systems, compilers and packages in lower case.
    private static let spellings = [
        "x86-64": "x86_64", "x86_64": "x86_64", "amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64",
        "aarch64": "aarch64", "armv8": "aarch64", "riscv": "riscv64", "riscv64": "riscv64", "rv64": "riscv64",
    ]
}
