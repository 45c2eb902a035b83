// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import LocatedYAML
import PluginCatalogue
import Signatures
import TaskModel

/// The files of a pack that this machine uses, in a directory of its own, which only this user can read and which is
/// deleted with the value.
package final class UnpackedPlugin: Sendable {
    let pack: String
    let directory: String
    /// Path of the manifest in the directory.
    let manifest: String

    /// Unpacks the manifest, its signature, and the library and files of this machine. The other files of the pack must
    /// be those of other machines.
    ///
    /// - Parameter temporary: the directory in which the directory is created.
    init(_ pack: PluginPack, in temporary: String) throws {
        var template = Array("\(temporary)/bgtask-pack-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            throw InstallationError(
                "no directory can be created in \(temporary): \(String(systemError: errno))",
                remedy: "name a directory in the environment variable TMPDIR that this user may write"
            )
        }
        self.pack = pack.path
        directory = String(cString: made)
        manifest = "\(directory)/\(pack.entries.first?.name ?? "")"
        try unpack(pack)
    }

    deinit { Self.remove(directory) }

    /// A text for the operator, with paths in the pack in place of paths in the directory.
    func shown(_ text: String) -> String { text.replacing(directory + "/", with: pack + ":") }

    private func unpack(_ pack: PluginPack) throws {
        guard let first = pack.entries.first else { return }
        let signature = first.name + PluginSignature.suffix
        for entry in pack.entries where [first.name, signature].contains(entry.name) { try write(entry, of: pack) }
        // A refused manifest is reported as one in a directory: no further file is needed.
        guard let library = ManifestReading.read(path: manifest).library else { return }
        let own = PackContents.files(of: library).map(\.name)
        let named = Set(PackContents(ofManifest: manifest).files.map(\.name))
        let others = pack.entries.filter { ![first.name, signature].contains($0.name) }
        if let stranger = others.first(where: { !named.contains($0.name) }) {
            throw PluginPack.error(
                pack.path,
                PackFlaw("it has the file \(stranger.name.inQuotes), which the manifest does not name")
            )
        }
        if let missing = own.first(where: { name in !others.contains { $0.name == name } }) {
            throw PluginPack.error(
                pack.path,
                PackFlaw("it lacks the file \(missing.inQuotes), which the manifest names for this machine")
            )
        }
        for entry in others where own.contains(entry.name) { try write(entry, of: pack) }
    }

    private func write(_ entry: PluginPack.Entry, of pack: PluginPack) throws {
        for above in PackName.directories(above: entry.name) { mkdir("\(directory)/\(above)", 0o700) }
        let path = "\(directory)/\(entry.name)"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let number = open(path, flags, 0o600)
        guard number >= 0 else { throw Self.failure(directory, SystemError(number: errno, attempt: "write \(path)")) }
        let file = Descriptor(owning: number)
        let chunk = 1 << 18
        for start in stride(from: 0, to: entry.size, by: chunk) {
            let count = min(chunk, entry.size - start)
            let bytes = try pack.bytes.range(entry.offset + start, count)
            guard bytes.count == count else {
                throw PluginPack.error(pack.path, PackFlaw("it became shorter while it was read"))
            }
            do throws(SystemError) {
                try FileBytes.write(bytes[...], to: file.number, for: "write \(path)")
            } catch {
                throw Self.failure(directory, error)
            }
        }
    }

    private static func failure(_ directory: String, _ error: SystemError) -> InstallationError {
        InstallationError(
            "the pack cannot be unpacked into \(directory): \(error.meaning)",
            remedy: "free space there, or name another directory in the environment variable TMPDIR"
        )
    }

    private static func remove(_ directory: String) {
        let (name, parent) = (FilePlace.name(of: directory), FilePlace.directory(of: directory))
        while let isLeft = try? TreeRemoval.removePart(of: name, in: parent, atMost: 1000), isLeft {}
    }
}
