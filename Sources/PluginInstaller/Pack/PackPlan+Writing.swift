// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import LocatedYAML
import PluginCatalogue

// Execution of a plan: the whole pack is at its path, or the file there is as before.
extension PackPlan {
    /// Writes the pack, and returns its SHA-256 digest. A pack that exists at the path is replaced.
    package func write(to path: String) throws -> String {
        if FilePlace.exists(path), !PluginPack.isPack(at: path) {
            throw InstallationError(
                "\(path) exists and is not a pack; nothing was written",
                remedy: "move that file away, or choose another name with --output"
            )
        }
        let temporary = "\(FilePlace.directory(of: path))/.\(FilePlace.name(of: path)).new-\(getpid())"
        unlink(temporary)
        let number = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard number >= 0 else { throw Self.failure(path, errno) }
        let output = Descriptor(owning: number)
        do {
            for file in files { try append(file, to: output, path) }
            try put([UInt8](repeating: 0, count: 2 * UstarHeader.blockSize)[...], to: output, path)
            guard fsync(output.number) == 0 else { throw Self.failure(path, errno) }
            // The reader's rules hold for the written file.
            _ = try PluginPack(at: temporary)
            let digest = try LibraryDigest.of(path: temporary)
            guard rename(temporary, path) == 0 else { throw Self.failure(path, errno) }
            return digest
        } catch {
            unlink(temporary)
            throw error
        }
    }

    private func append(_ file: File, to output: Descriptor, _ path: String) throws {
        guard let header = UstarHeader(name: file.name, size: file.size) else { return }
        try put(header.block[...], to: output, path)
        let input: Descriptor
        do throws(SystemError) {
            input = try Descriptor(opening: file.source, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
        } catch {
            throw InstallationError("\(file.source) cannot be read: \(error.meaning); nothing was written")
        }
        let chunk = 1 << 18
        // One byte more than the size: a file that grew is noticed, too.
        for start in stride(from: 0, through: file.size, by: chunk) {
            let count = min(chunk, file.size - start)
            let isLast = start + count == file.size
            let bytes = try FileBytes.range(
                of: input.number,
                from: start,
                count: isLast ? count + 1 : count,
                for: "read \(file.source)"
            )
            guard bytes.count == count else {
                throw InstallationError(
                    "\(file.source) changed after it was checked; nothing was written",
                    remedy: "pack the plugin again"
                )
            }
            try put(bytes[...], to: output, path)
            if isLast { break }
        }
        let padding = UstarHeader.padding(after: file.size)
        try put([UInt8](repeating: 0, count: padding)[...], to: output, path)
    }

    private func put(_ bytes: ArraySlice<UInt8>, to output: Descriptor, _ path: String) throws {
        do throws(SystemError) {
            try FileBytes.write(bytes, to: output.number, for: "write \(path)")
        } catch {
            throw Self.failure(path, error.number)
        }
    }

    private static func failure(_ path: String, _ error: Int32) -> InstallationError {
        InstallationError(
            "\(path) cannot be written: \(String(systemError: error))",
            remedy: "choose another path with --output, or free space there"
        )
    }
}
