// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Detection of processes that the plugin forked from the runner, without a system call per check: the kernel gives a
/// forked process zeroes in place of the contents of a page.
enum ForkedProcess {
    /// Whether this process was forked from the runner. False on kernels before 4.14, which copy the page.
    static var isCurrent: Bool { page.load(as: UInt8.self) == 0 }

    // Written once, before any plugin code is mapped.
    nonisolated(unsafe) private static let page: UnsafeRawPointer = {
        let size = Int(sysconf(Int32(_SC_PAGESIZE)))
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { RunnerExit.end(without: .memory) }
        memory.storeBytes(of: 1, as: UInt8.self)
        madvise(memory, size, wipeOnFork)
        mprotect(memory, size, PROT_READ)
        return UnsafeRawPointer(memory)
    }()

    /// `MADV_WIPEONFORK` of the kernel.
    private static let wipeOnFork: Int32 = 18

    /// Creates the page that `isCurrent` reads. Called before any plugin code is mapped.
    static func prepare() { _ = page }

    // MARK: Calls of forked processes

    /// Whether a forked process has called the host; nil unless calls are recorded. The forked processes share it.
    // Written once, before any plugin code is mapped.
    nonisolated(unsafe) private static var called: UnsafeMutablePointer<Bool>?

    /// Whether a forked process has called the host since `recordCalls`.
    static var hasCalled: Bool { called?.pointee == true }

    /// Creates the shared memory in which `noteCall` records calls of forked processes. Called before any plugin code
    /// is mapped.
    static func recordCalls() {
        let size = Int(sysconf(Int32(_SC_PAGESIZE)))
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { RunnerExit.end(without: .memory) }
        called = memory.bindMemory(to: Bool.self, capacity: 1)
    }

    /// Records a call of the host in this forked process. Safe there: a store to memory that exists.
    static func noteCall() { called?.pointee = true }
}
