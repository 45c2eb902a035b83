// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import HostTestKit

/// A kernel that refuses one system call, for a host or a runner: a program that loads a filter of system calls and then
/// becomes the host or the runner.
struct RefusingKernel {
    /// C constant of the refused system call's number, such as `SYS_seccomp`.
    let call: String
    /// Bits of the second argument of which one is set in a refused call; nil when every such call is refused.
    var bits: UInt32?
    /// C constant of the errno of a refused call, such as `EPERM`.
    let error: String

    /// A kernel whose filters of system calls have no listener, as before Linux 5.0.
    static let withoutListener = RefusingKernel(call: "SYS_seccomp", bits: 1 << 3, error: "EINVAL")
    /// A kernel that refuses to read and to set resource limits.
    static let withoutLimits = RefusingKernel(call: "SYS_prlimit64", bits: nil, error: "EPERM")

    /// A kernel without Landlock in the boot option `lsm`.
    static let withoutLandlock = RefusingKernel(call: "SYS_landlock_create_ruleset", bits: nil, error: "EOPNOTSUPP")
    /// A kernel without filters of system calls.
    static let withoutFilters = RefusingKernel(call: "SYS_seccomp", bits: nil, error: "ENOSYS")

    /// Compiles the program that refuses the system call to itself and then becomes the runner. Returns its path.
    func runner(in directory: ScratchDirectory) async throws -> String {
        try await program(.runner, in: directory)
    }

    /// Compiles the program that simulates this kernel and then becomes the host, whose runners get the same kernel.
    /// Returns the path of the program.
    func host(in directory: ScratchDirectory) async throws -> String {
        try await program(.host, in: directory)
    }

    private func program(_ built: BuiltProgram, in directory: ScratchDirectory) async throws -> String {
        let program = directory.file("refusing-\(built.rawValue)")
        try await PluginCompiler.program(try source(of: built), at: program)
        // A host of an ordinary user executes it as well.
        chmod(program, 0o755)
        return program
    }

    private func source(of built: BuiltProgram) throws -> String {
        """
        #include <errno.h>
        #include <linux/filter.h>
        #include <linux/seccomp.h>
        #include <stddef.h>
        #include <sys/prctl.h>
        #include <sys/syscall.h>
        #include <unistd.h>

        int main(int count, char **arguments) {
            (void)count;
            struct sock_filter filter[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, \(call), 0, 3),
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
                BPF_JUMP(BPF_JMP | \(bits == nil ? "BPF_JGE" : "BPF_JSET") | BPF_K, \(bits ?? 0), 0, 1),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | \(error)),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
            };
            struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
            if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 9;
            if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return 9;
            execv("\(try built.path())", arguments);
            return 9;
        }
        """
    }
}
