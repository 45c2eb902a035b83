// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import CSeccomp
import Glibc

/// A filter of system calls under construction.
struct SystemCallFilter: ~Copyable {
    /// A failed call of libseccomp.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// A comparison of one argument of a system call with a value. All 64 bits are compared.
    struct Comparison {
        enum Operator {
            case equal, notEqual, less, greaterOrEqual
            /// The bits of the argument that the mask selects equal the value.
            case masked(UInt64)
        }

        let argument: UInt32
        let operation: Operator
        let value: UInt64

        init(_ argument: UInt32, _ operation: Operator, _ value: UInt64) {
            self.argument = argument
            self.operation = operation
            self.value = value
        }
    }

    /// The kernel's limit of 4,096 instructions, in bytes.
    private static let largestSize = 32_768

    private let context: scmp_filter_ctx

    /// Creates a filter without rules: it answers every call with ENOSYS, and kills a process that uses the call
    /// numbers of another architecture.
    init() throws(Failure) {
        guard let context = seccomp_init(bgs_refuse(ENOSYS)) else {
            throw Failure(
                description: "libseccomp cannot create a filter of system calls; free memory, or reinstall libseccomp2"
            )
        }
        self.context = context
        // A binary tree: the kernel evaluates the filter once for each number, and loads it in a third of the time.
        seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2)
        seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, bgs_kill_process())
        // The runner refuses new privileges itself.
        seccomp_attr_set(context, SCMP_FLTATR_CTL_NNP, 0)
    }

    deinit { seccomp_release(context) }

    func allow(_ call: String, where comparisons: Comparison...) throws(Failure) {
        try add(bgs_allow(), call, comparisons)
    }

    func refuse(_ call: String, where comparisons: Comparison...) throws(Failure) {
        try add(bgs_refuse(EPERM), call, comparisons)
    }

    /// Lets a call succeed without effect.
    func ignore(_ call: String, where comparisons: Comparison...) throws(Failure) {
        try add(bgs_ignore(), call, comparisons)
    }

    /// Adds a rule for a call. Does nothing for a name that this architecture or this libseccomp does not know: the
    /// filter answers such a call with ENOSYS.
    private func add(_ action: UInt32, _ call: String, _ comparisons: [Comparison]) throws(Failure) {
        let number = seccomp_syscall_resolve_name(call)
        guard number >= 0 else { return }
        let terms = comparisons.map(\.term)
        let status = terms.withUnsafeBufferPointer {
            seccomp_rule_add_array(context, action, number, UInt32($0.count), $0.baseAddress)
        }
        guard status == 0 else {
            throw Failure(
                description: "libseccomp refuses a rule for \(call): \(String(cString: strerror(-status)));"
                    + " reinstall libseccomp2"
            )
        }
    }

    /// The filter as an array of the kernel's `struct sock_filter`.
    func compiled() throws(Failure) -> [UInt8] {
        // libseccomp 2.5.4 only writes to a descriptor. Not to a pipe: plugins with the host's user can use up the pages
        // of pipes of this user, so that the buffer of a new one is smaller than a filter, and the write blocks.
        let file = bgl_memory_file("filter")
        guard file >= 0 else {
            throw Failure(
                description: "cannot create a file in memory for a filter of system calls:"
                    + " \(String(cString: strerror(-file))); raise the limit of open descriptors of this process"
                    + " (RLIMIT_NOFILE), or free memory"
            )
        }
        defer { close(file) }
        let status = seccomp_export_bpf(context, file)
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.largestSize) { buffer, filled in
            filled = max(0, pread(file, buffer.baseAddress, buffer.count, 0))
        }
        guard status == 0, !bytes.isEmpty else {
            throw Failure(
                description: "libseccomp cannot compile the filter of system calls:"
                    + " \(String(cString: strerror(-status))); reinstall libseccomp2"
            )
        }
        return bytes
    }
}

extension SystemCallFilter.Comparison {
    fileprivate var term: scmp_arg_cmp {
        switch operation {
        case .equal: scmp_arg_cmp(arg: argument, op: SCMP_CMP_EQ, datum_a: value, datum_b: 0)
        case .notEqual: scmp_arg_cmp(arg: argument, op: SCMP_CMP_NE, datum_a: value, datum_b: 0)
        case .less: scmp_arg_cmp(arg: argument, op: SCMP_CMP_LT, datum_a: value, datum_b: 0)
        case .greaterOrEqual: scmp_arg_cmp(arg: argument, op: SCMP_CMP_GE, datum_a: value, datum_b: 0)
        case .masked(let mask): scmp_arg_cmp(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: mask, datum_b: value)
        }
    }
}
