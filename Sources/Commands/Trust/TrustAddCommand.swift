// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import Foundation
import LinuxSystem
import Signatures

/// `bgtask trust add`: adds a key that may sign for plugins.
struct TrustAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a key that may sign for plugins.",
        discussion: """
            The patterns are identifiers of plugins, separated by commas, with * and ?, and ! for exclusion. The entry \
            holds for signatures of plugins only. Compare the printed fingerprint with the vendor's.

            Example:
              bgtask trust add com.example.* vendor.pub --valid-before 20280101Z
            """
    )

    @Argument(help: ArgumentHelp("Patterns of plugin identifiers.", valueName: "patterns"))
    var patterns: String

    @Argument(help: ArgumentHelp("The public key file (.pub), or the key itself in quotation marks.", valueName: "key"))
    var key: String

    @Option(help: ArgumentHelp("Begin of the validity: YYYYMMDD[HHMM[SS]], with Z for UTC.", valueName: "time"))
    var validAfter: String?

    @Option(help: ArgumentHelp("End of the validity.", valueName: "time"))
    var validBefore: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: SignersOptions

    func run() async throws {
        let key = try parsedKey()
        let path = try await options.path()
        let lock = try SignersOptions.lock(path)
        defer { withExtendedLifetime(lock) {} }
        let text = try SignersOptions.text(of: path)
        let file = SignersFile(text: text)
        if let known = file.entries.first(where: { $0.key == key.key && $0.principals.text == patterns }) {
            throw CommandFailure(
                .refused,
                "\(path) has an entry of the key \(key.key.fingerprint) for \(patterns) already, on line \(known.line)",
                remedy: "to change the entry, edit this line of the file"
            )
        }
        let line: String
        do throws(SignersFileError) {
            line = try SignersFile.line(
                for: patterns,
                key.key,
                after: validAfter,
                before: validBefore,
                comment: key.comment
            )
        } catch {
            throw CommandFailure(.refused, error.message, remedy: error.remedy)
        }
        let changed = SignersFile.adding(line, to: text)
        try SignersOptions.write(changed, to: path)
        try OutputOptions(json: json).show(TrustReply(path, SignersFile(text: changed)))
        CommandContext.current.writeMessage("\(path) trusts the key \(key.key.fingerprint) for \(patterns)")
    }

    /// The key and the comment of the argument: a line in the format of OpenSSH, or the path of a file with one such
    /// line.
    private func parsedKey() throws -> (key: PublicKey, comment: String) {
        var text = key
        if !key.contains(" ") {
            let path = FilePlace.absolute(key)
            guard let data = FileManager.default.contents(atPath: path), data.count <= 1 << 16 else {
                throw CommandFailure(
                    .refused,
                    "\(path) cannot be read, or is too large for a key",
                    remedy: "name a public key file (.pub), or write the key itself in quotation marks"
                )
            }
            text = String(decoding: data, as: UTF8.self)
        }
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }
        let words = lines.first?.split(separator: " ", maxSplits: 2) ?? []
        guard lines.count == 1, words.count > 1 else {
            throw CommandFailure(
                .refused,
                "\(key) is not one line with a public key",
                remedy:
                    "name the file that ssh-keygen wrote with the suffix .pub; the private key stays with the vendor"
            )
        }
        do throws(SignatureProblem) {
            let parsed = try PublicKey(type: words[0], base64: words[1])
            if !parsed.isSupported { throw .unsupportedKey(parsed.type) }
            return (parsed, words.count > 2 ? String(words[2]) : "")
        } catch {
            throw CommandFailure(.refused, "\(key) \(error.message)", remedy: remedy(for: error))
        }
    }

    /// The remedy for a key that cannot be added. The remedies of signatures do not fit: no file has to be signed.
    private func remedy(for problem: SignatureProblem) -> String {
        switch problem {
        case .malformed: "get the public key (.pub) from the vendor again"
        case .unsupportedKey: "ask the vendor to sign with a key of the type ed25519 or ecdsa, and add that public key"
        default: problem.remedy
        }
    }
}
