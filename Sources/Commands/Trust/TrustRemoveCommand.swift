// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import Signatures
import TaskModel

/// `bgtask trust remove`: removes the entries of a key.
struct TrustRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a key that may sign for plugins.",
        discussion: """
            Names the entries by fingerprint, by patterns or by comment, as bgtask trust list prints them. A plugin that \
            only this key signed counts as unsigned from then on. To refuse it, add the key to the revoked keys.

            Example:
              bgtask trust remove com.example.*
            """
    )

    @Argument(help: ArgumentHelp("Fingerprint, patterns or comment of the entries.", valueName: "entry"))
    var name: String

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: SignersOptions

    func run() async throws {
        let path = try await options.path()
        let lock = try SignersOptions.lock(path)
        defer { withExtendedLifetime(lock) {} }
        let text = try SignersOptions.text(of: path)
        let entries = SignersFile(text: text).entries
        let found = entries.filter { [$0.key.fingerprint, $0.principals.text, $0.comment].contains(name) }
        if found.isEmpty || name.isEmpty {
            let known = entries.flatMap { [$0.principals.text, $0.key.fingerprint, $0.comment] }.filter { !$0.isEmpty }
            throw CommandFailure(
                .refused,
                "\(path) has no entry \(name.inQuotes)",
                remedy: NearestWord.to(name, among: known).map { "write \($0.inQuotes)" }
                    ?? "list the entries with: bgtask trust list --signers \(path)"
            )
        }
        let changed = SignersFile.removing(Set(found.map(\.line)), from: text)
        try SignersOptions.write(changed, to: path)
        try OutputOptions(json: json).show(TrustReply(path, SignersFile(text: changed)))
        for entry in found {
            CommandContext.current.writeMessage(
                "\(path) no longer trusts the key \(entry.key.fingerprint) for \(entry.principals.text)"
            )
        }
    }
}
