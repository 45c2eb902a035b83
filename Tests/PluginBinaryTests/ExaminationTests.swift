// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LinuxSystem
import PluginBinary
import TaskModel
import Testing

@Suite("A library is examined before any of its code runs")
struct ExaminationTests {
    @Test func `a plugin written with the header is accepted, with the version of its note`() throws {
        try Workshop.with { workshop in
            let path = try workshop.compile(Source.plugin)
            let binary = try PluginBinary.examine(path: path)
            #expect(binary.note == BinaryNote(major: HostABI.major, requiredMinor: 0, headerMinor: HostABI.minor))
            #expect(binary.path == path)
            #expect(binary.identity == FileIdentity(ofPath: path))
        }
    }

    @Test(arguments: [
        "-Wl,--hash-style=sysv", "-Wl,--hash-style=gnu", "-Wl,--gc-sections", "-s", "-flto", "-Wl,-z,noseparate-code",
    ])
    func `a plugin library is accepted with each of six common compiler and linker options`(option: String) throws {
        try Workshop.with { workshop in
            let path = try workshop.compile(Source.plugin, ["-shared", "-fPIC", "-O2", "-ffunction-sections", option])
            #expect(problem(in: path) == nil)
        }
    }

    @Test func `the host and the header have the same ABI version`() throws {
        try Workshop.with { workshop in
            let check = "BGTASK_ABI_MAJOR == \(HostABI.major) && BGTASK_ABI_MINOR == \(HostABI.minor)"
            _ = try workshop.compile("#include <bgtask.h>\n_Static_assert(\(check), \"same version\");")
        }
    }

    @Test func `a plugin library with a handwritten note is accepted`() throws {
        try Workshop.with { workshop in
            try #expect(workshop.problem(compiling: Source.note() + Source.entry) == nil)
        }
    }

    @Test func `a plugin library is examined through an open descriptor, whose position does not change`() throws {
        try Workshop.with { workshop in
            let path = try workshop.compile(Source.plugin)
            let descriptor = open(path, O_RDONLY)
            defer { close(descriptor) }
            let binary = try PluginBinary.examine(descriptor: descriptor, path: "the plugin")
            #expect(binary.identity == FileIdentity(ofDescriptor: descriptor))
            #expect(lseek(descriptor, 0, SEEK_CUR) == 0)
        }
    }

    @Test func `the examination of a library does not run its constructor`() throws {
        try Workshop.with { workshop in
            let witness = workshop.path("witness")
            let path = try workshop.compile(
                Source.plugin
                    + "\n#include <fcntl.h>\n__attribute__((constructor)) static void run(void) "
                    + "{ creat(\"\(witness)\", 0600); }"
            )
            #expect(problem(in: path) == nil)
            #expect(!FileManager.default.fileExists(atPath: witness))
        }
    }
}
