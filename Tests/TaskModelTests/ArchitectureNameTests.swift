// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@Suite("An architecture in a manifest has the name that uname -m prints")
struct ArchitectureNameTests {
    @Test(arguments: ["x86_64", "aarch64", "riscv64"])
    func `the name of an architecture for which bgtask has a release is supported`(name: String) {
        #expect(ArchitectureName.verdict(on: name) == .supported)
    }

    @Test(arguments: [
        ("x86-64", "x86_64"), ("amd64", "x86_64"), ("X86_64", "x86_64"), ("x64", "x86_64"), ("arm64", "aarch64"),
        ("AArch64", "aarch64"), ("rv64", "riscv64"),
    ])
    func `another spelling of a supported architecture is reported as misspelt, with the right name`(
        name: String,
        meant: String
    ) {
        #expect(ArchitectureName.verdict(on: name) == .misspelt(meant: meant))
    }

    @Test(arguments: ["loongarch64", "s390x", "ppc64le", "i686"])
    func `the name of an architecture for which bgtask has no release is unsupported, not malformed`(
        name: String
    ) {
        #expect(ArchitectureName.verdict(on: name) == .unsupported)
    }

    @Test(arguments: ["", "a", "two words", "64bit", "../lib", "Loong", "é64", String(repeating: "a", count: 33)])
    func `a text that is no name of an architecture is malformed`(name: String) {
        #expect(ArchitectureName.verdict(on: name) == .malformed)
    }
}
