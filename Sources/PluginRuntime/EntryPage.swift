// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Glibc
import TaskModel

/// The memory in which entry fills its `bgt_plugin`: the struct at the start of a zeroed page, before a page that
/// cannot be written. A plugin that was built for a later minor may write fields that this host does not have. The page
/// makes such a write detectable unless it writes zeroes. The write damages no memory of the runner (BGT-ABI-03).
struct EntryPage {
    /// A flaw of the `bgt_plugin` that entry has filled.
    enum Flaw: Hashable {
        case reservedIsSet(UInt32)
        /// Bytes behind the struct are not zero; the offset of the first one.
        case writesBehind(offset: Int)

        var status: Int32 {
            switch self {
            case .reservedIsSet: BGT_INVALID
            case .writesBehind: BGT_TOO_NEW
            }
        }

        var kind: ViolationKind {
            switch self {
            case .reservedIsSet: .wroteReserved
            case .writesBehind: .wroteBehindStruct
            }
        }

        var message: String {
            switch self {
            case .reservedIsSet(let value):
                "entry wrote \(value) into bgt_plugin.reserved; leave it zero"
            case .writesBehind(let offset):
                "entry wrote behind bgt_plugin, at offset \(offset), into a field that this host, of ABI minor version"
                    + " \(BGTASK_ABI_MINOR), does not have; ask BGTASK_HAS(plugin, FIELD) before writing the field, or"
                    + " upgrade bgtaskd"
            }
        }
    }

    private static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
    private let page: UnsafeMutableRawPointer

    init() {
        let size = Self.pageSize
        let memory = mmap(nil, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { RunnerExit.end(without: .memory) }
        mprotect(memory + size, size, PROT_NONE)
        page = memory
        plugin.pointee.size = UInt32(MemoryLayout<bgt_plugin>.size)
    }

    var plugin: UnsafeMutablePointer<bgt_plugin> { page.assumingMemoryBound(to: bgt_plugin.self) }

    /// Reads the struct after entry has returned. From then on, an access of the plugin to it ends the process.
    func read() -> Result<bgt_plugin, Flaw> {
        let hooks = plugin.pointee
        let bytes = UnsafeRawBufferPointer(start: page, count: Self.pageSize)
        let behind = bytes.indices.dropFirst(MemoryLayout<bgt_plugin>.size).first { bytes[$0] != 0 }
        mprotect(page, Self.pageSize, PROT_NONE)
        if let behind { return .failure(.writesBehind(offset: behind)) }
        if hooks.reserved != 0 { return .failure(.reservedIsSet(hooks.reserved)) }
        return .success(hooks)
    }
}

extension EntryPage.Flaw: Error {}
