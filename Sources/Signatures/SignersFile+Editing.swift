// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Changes of the text of a signers file. Comments, empty lines and unusable lines stay as they are.
extension SignersFile {
    /// The line of an entry that signs for plugins only. Throws when the patterns or the resulting entry are invalid.
    /// Control characters of the comment are left out.
    ///
    /// - Parameters:
    ///   - patterns: patterns of plugin identifiers, separated by commas.
    ///   - after: begin of the validity in the notation of the file; nil for none.
    ///   - before: end of the validity; nil for none.
    package static func line(
        for patterns: String,
        _ key: PublicKey,
        after: String?,
        before: String?,
        comment: String
    ) throws(SignersFileError) -> String {
        let isPlain = patterns.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") }
        guard isPlain, !patterns.isEmpty, !patterns.hasPrefix("#") else {
            throw SignersFileError(
                message: "\"\(patterns)\" is not a list of patterns",
                remedy: "write identifiers or patterns of plugins, separated by commas without spaces, such as"
                    + " com.example.*"
            )
        }
        let limits = [after.map { "valid-after=\"\($0)\"" }, before.map { "valid-before=\"\($0)\"" }].compactMap(\.self)
        let options = (["namespaces=\"\(PluginSignature.namespace)\""] + limits).joined(separator: ",")
        let remark = String(
            String.UnicodeScalarView(comment.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7f })
        )
        let line = "\(patterns) \(options) \(key.type) \(key.base64)" + (remark.isEmpty ? "" : " \(remark)")
        let file = SignersFile(text: line)
        if let problem = file.problems.first {
            throw SignersFileError(message: problem.message, remedy: problem.remedy)
        }
        return line
    }

    package static func adding(_ line: String, to text: String) -> String {
        text + (text.isEmpty || text.hasSuffix("\n") ? "" : "\n") + line + "\n"
    }

    /// - Parameter numbers: numbers of the lines to remove, from 1.
    package static func removing(_ numbers: Set<Int>, from text: String) -> String {
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        return lines.filter { !numbers.contains($0.offset + 1) }.map { String($0.element) }.joined(separator: "\n")
    }
}

/// The reason why a signers file is not changed.
package struct SignersFileError: Error, Hashable, Sendable {
    package let message: String
    package let remedy: String
}
