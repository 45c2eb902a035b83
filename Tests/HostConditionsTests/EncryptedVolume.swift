// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem

@testable import HostConditions

/// A mounted file system with encryption support, backed by a file of its own, for the duration of one test.
///
/// Keys and policies are set with the kernel's ioctl calls in the documented layout (fscrypt, version 2).
final class EncryptedVolume {
    struct Key: Equatable { let identifier: [UInt8] }

    private static let addKey: UInt = 0xc050_6617
    private static let removeKey: UInt = 0xc040_6618
    private static let setPolicy: UInt = 0x800c_6613

    let path: String
    private let tree: FileTree

    static let isAllowed: Bool = {
        guard Machine.canMount, Machine.has("mkfs.ext4") else { return false }
        guard let volume = try? EncryptedVolume() else { return false }
        return (try? volume.addKey()) != nil
    }()

    init() throws {
        tree = try FileTree()
        path = tree.path + "/volume"
        try tree.directory("volume")
        let image = tree.path + "/image"
        guard Machine.run("truncate", "-s", "16M", image), Machine.run("mkfs.ext4", "-q", "-O", "encrypt", image),
            Machine.run("mount", "-o", "loop", image, path)
        else { throw SystemError(number: ENODEV, attempt: "mount an encrypted volume") }
    }

    deinit { Machine.run("umount", "-l", path) }

    /// Adds the key for the encryption, which is the same in every call.
    func addKey() throws -> Key {
        let secret = (0..<64).map { UInt8($0) }
        // Layout: key specifier (type, and space for the identifier that the kernel returns), size, reserved fields,
        // key.
        var argument = Self.words(2, 0) + Array(repeating: 0, count: 32) + Self.words(64, 0)
        argument += Array(repeating: 0, count: 32) + secret
        try call(Self.addKey, path, &argument)
        return Key(identifier: Array(argument[8..<24]))
    }

    func removeKey(_ key: Key) throws {
        var argument = Self.words(2, 0) + key.identifier + Array(repeating: 0, count: 16 + 24)
        try call(Self.removeKey, path, &argument)
    }

    func encrypt(_ directory: String, with key: Key) throws {
        mkdir("\(path)/\(directory)", 0o700)
        // Version 2, AES-256-XTS for contents, AES-256-CTS for names.
        var argument: [UInt8] = [2, 1, 4, 0, 0, 0, 0, 0] + key.identifier
        try call(Self.setPolicy, "\(path)/\(directory)", &argument)
    }

    private func call(_ request: UInt, _ path: String, _ argument: inout [UInt8]) throws {
        let file = try Descriptor(opening: path, flags: O_RDONLY | O_DIRECTORY)
        // Swift does not import functions with variadic arguments.
        typealias Control = @convention(c) (Int32, UInt, UnsafeMutableRawPointer?) -> Int32
        guard let address = dlsym(nil, "ioctl") else { throw SystemError(number: ENOSYS, attempt: "find ioctl") }
        let control = unsafeBitCast(address, to: Control.self)
        let status = argument.withUnsafeMutableBytes { control(file.number, request, $0.baseAddress) }
        if status != 0 { throw SystemError(number: errno, attempt: "change the encryption of \(path)") }
    }

    private static func words(_ words: UInt32...) -> [UInt8] { words.flatMap { withUnsafeBytes(of: $0) { Array($0) } } }
}
