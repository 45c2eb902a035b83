// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The ELF header: the first 64 bytes of a library, checked against this machine. It contains the positions of the
/// tables.
struct ElfHeader {
    static let size: UInt64 = 64

    let programHeaders: (offset: UInt64, count: UInt64)
    /// File offset and number of the section headers. The number is 0 when the headers were stripped or have an
    /// unexpected size.
    let sectionHeaders: (offset: UInt64, count: UInt64)
    /// Number of the section with the names of the sections.
    let sectionNames: Int

    init(of file: LibraryBytes) throws(PluginBinaryProblem.Kind) {
        guard file.size >= 4, try file.read(at: 0, count: 4).starts(with: [0x7f, 0x45, 0x4c, 0x46], at: 0) else {
            throw .notAnELF
        }
        guard file.size >= Self.size else { throw .truncated }
        let header = try file.read(at: 0, count: Self.size)
        try Self.checkMachine(header)

        let type = try header.integer(at: 16, as: UInt16.self)
        guard type == 3 else { throw .notASharedLibrary(Self.typeName(type)) }

        programHeaders = (try header.integer(at: 32), UInt64(try header.integer(at: 56, as: UInt16.self)))
        guard try header.integer(at: 54, as: UInt16.self) == 56, (1...1024).contains(programHeaders.count) else {
            throw .damaged("its program headers are missing, are more than 1024 or have an unexpected size")
        }
        sectionNames = Int(try header.integer(at: 62, as: UInt16.self))
        let sections: (offset: UInt64, count: UInt64) = (
            try header.integer(at: 40), UInt64(try header.integer(at: 60, as: UInt16.self))
        )
        guard sections.offset != 0, try header.integer(at: 58, as: UInt16.self) == 64 else {
            sectionHeaders = (0, 0)
            return
        }
        // Section headers are at the end of the file, so a truncated copy is detected here first.
        guard sections.offset <= file.size, sections.count * 64 <= file.size - sections.offset else { throw .truncated }
        sectionHeaders = sections
    }

    private static func checkMachine(_ header: ByteBlock) throws(PluginBinaryProblem.Kind) {
        switch try header.integer(at: 4, as: UInt8.self) {
        case 2: break
        case 1: throw .wrongClass("32-bit")
        default: throw .damaged("the class in its ELF header is neither 32-bit nor 64-bit")
        }
        let machine = try header.integer(at: 18, as: UInt16.self)
        switch try header.integer(at: 5, as: UInt8.self) {
        case 1: break
        case 2: throw .foreignArchitecture("big-endian \(name(ofMachine: machine.byteSwapped))")
        default: throw .damaged("the byte order in its ELF header is neither little-endian nor big-endian")
        }
        guard machine == hostMachine else { throw .foreignArchitecture(name(ofMachine: machine)) }
        // 0 is System V, 3 is GNU: this system's loader accepts both.
        let system = try header.integer(at: 7, as: UInt8.self)
        guard system == 0 || system == 3 else {
            throw .foreignArchitecture("\(name(ofMachine: machine)) on another system (OS ABI \(system))")
        }
    }

    // MARK: Names

    #if arch(x86_64)
        static let hostMachine: UInt16 = 62
        static let loaderName = "ld-linux-x86-64.so.2"
        static let libraryDirectoryName = "x86_64-linux-gnu"
    #elseif arch(arm64)
        static let hostMachine: UInt16 = 183
        static let loaderName = "ld-linux-aarch64.so.1"
        static let libraryDirectoryName = "aarch64-linux-gnu"
    #elseif arch(riscv64)
        static let hostMachine: UInt16 = 243
        static let loaderName = "ld-linux-riscv64-lp64d.so.1"
        static let libraryDirectoryName = "riscv64-linux-gnu"
    #else
        #error("name this machine's number in the ELF header")
    #endif

    static var hostMachineName: String { name(ofMachine: hostMachine) }

    /// The name of a machine: for supported architectures the name in manifests, as `uname -m` prints it.
    static func name(ofMachine machine: UInt16) -> String {
        switch machine {
        case 2, 43: "SPARC"
        case 3: "x86"
        case 8: "MIPS"
        case 20: "PowerPC"
        case 21: "PowerPC 64"
        case 22: "S/390"
        case 40: "ARM"
        case 62: "x86_64"
        case 183: "aarch64"
        case 243: "riscv64"
        case 258: "LoongArch"
        default: "machine \(machine)"
        }
    }

    private static func typeName(_ type: UInt16) -> String {
        switch type {
        case 1: "an object file"
        case 2: "an executable"
        case 4: "a core dump"
        default: "of ELF type \(type)"
        }
    }
}
