// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Glibc
import HostTestKit

/// The events of the files in one directory, counted by the kernel since the creation of this object, whichever process
/// caused them.
final class FileEvents {
    enum Kind: UInt32 {
        case opened = 0x20
        case created = 0x100
        case deleted = 0x200
    }

    private struct Event {
        let mask: UInt32
        let name: String
    }

    private let descriptor: Int32
    private var events: [Event] = []

    /// - Parameter kinds: the kinds to watch. The kernel merges equal events that follow each other: watch a creation
    ///   together with the deletion.
    init(in directory: String, _ kinds: Kind...) throws {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0,
            inotify_add_watch(descriptor, directory, kinds.reduce(0) { $0 | $1.rawValue }) >= 0
        else { throw HostFailure("\(directory) cannot be watched: \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    /// The number of events of a kind for each file, until now.
    func counts(of kind: Kind) throws -> [String: Int] {
        try read()
        let names = events.filter { $0.mask & kind.rawValue != 0 }.map(\.name)
        return Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    }

    /// The number of events of a kind for all files, until now.
    func total(of kind: Kind) throws -> Int { try counts(of: kind).values.reduce(0, +) }

    private func read() throws {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count <= 0 { return }
            try take(Array(buffer.prefix(count)))
        }
    }

    private func take(_ bytes: [UInt8]) throws {
        let headLength = 16
        var rest = bytes[...]
        while rest.count >= headLength {
            let head = rest.prefix(headLength)
            let fields = Array(head).withUnsafeBytes { bytes in
                stride(from: 0, to: headLength, by: 4).map { bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self) }
            }
            rest = rest.dropFirst(headLength)
            let name = String(decoding: rest.prefix(Int(fields[3])).prefix { $0 != 0 }, as: UTF8.self)
            rest = rest.dropFirst(Int(fields[3]))
            if fields[1] & UInt32(IN_Q_OVERFLOW) != 0 { throw HostFailure("the kernel lost events of files") }
            // An event of the directory itself has no name.
            if !name.isEmpty { events.append(Event(mask: fields[1], name: name)) }
        }
    }
}
