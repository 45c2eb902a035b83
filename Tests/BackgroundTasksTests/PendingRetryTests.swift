// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Synchronization
import Testing

@testable import BackgroundTasks

/// The statuses of the next calls of `pending`, then `BGT_OK`.
private let statuses = Mutex<[Int32]>([])

@Suite("A host that cannot read the pending requests is asked again", .serialized)
struct PendingRetryTests {
    /// Calls the body with a host whose functions only return constants.
    ///
    /// - Parameter first: the statuses of the first calls of `pending`.
    private func withHost(answering first: [Int32], _ body: (Host) async -> Void) async {
        statuses.withLock { $0 = first }
        let size = MemoryLayout<bgt_host>.size
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: MemoryLayout<bgt_host>.alignment)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        let table = memory.assumingMemoryBound(to: bgt_host.self)
        table.pointee.pending = { _, _, _, _ in statuses.withLock { $0.isEmpty ? BGT_OK : $0.removeFirst() } }
        table.pointee.log = { _, _, _, _ in }
        table.pointee.name = { _, _, _ in
            let name: StaticString = "status"
            return UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        }
        await body(Host(table: table))
        memory.deallocate()
    }

    @Test func `pending requests are listed after two failures of the host to read them`() async {
        await withHost(answering: [BGT_UNAVAILABLE, BGT_UNAVAILABLE]) { host in
            let count = await withCheckedContinuation { continuation in
                BGTaskScheduler.shared.list(from: host) { continuation.resume(returning: $0.count) }
            }
            #expect(count == 0 && statuses.withLock { $0.isEmpty })
        }
    }

    @Test(arguments: [BGT_ENDED, BGT_NOT_OFFERED])
    func `a list of pending requests is neither returned nor requested again after the end of the launch`(
        _ status: Int32
    ) async {
        await withHost(answering: [status]) { host in
            let count = Atomic(0)
            BGTaskScheduler.shared.list(from: host) { _ in count.add(1, ordering: .relaxed) }
            #expect(count.load(ordering: .relaxed) == 0 && statuses.withLock { $0.isEmpty })
        }
    }
}
