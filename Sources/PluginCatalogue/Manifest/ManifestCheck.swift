// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

/// Checks one draft against all rules for a single file, and reports every violation.
struct ManifestCheck {
    private static let longestText = 255

    let draft: ManifestDraft
    let problems: ProblemCollector

    /// The result of the check. The manifest is nil after an error, here or while the draft was read. The library is
    /// nil when its name is invalid.
    func outcome() -> (manifest: Manifest?, library: LibraryReference?) {
        let identifier = draft.identifier.flatMap(pluginIdentifier)
        let name = draft.name.flatMap(shortText)
        let version = draft.version.flatMap(shortText)
        let pin = draft.pinnedDigest.flatMap { digest($0) }
        let files = pinnedFiles()
        let library = draft.library.flatMap(libraryPath).map {
            LibraryReference(path: $0, pinnedDigest: pin, files: files, functions: boundFunctions)
        }
        let modes = modes()
        let permitted = permitted(of: identifier?.value)
        let handlers = handlers(permitted: permitted, modes: modes)
        let containing = containing(identifier: identifier?.value)
        let extensions = extensions(of: identifier?.value)
        let entitlements = entitlements()
        let grants = grants()
        checkRole()
        checkProcessing()
        checkUseOfEntitlements(with: modes)
        checkOffers()

        guard let identifier, let library, let role = draft.role, !problems.holdsErrors else {
            return (nil, library)
        }
        let manifest = Manifest(
            identifier: identifier,
            name: name ?? identifier.value.text,
            version: version ?? "",
            role: role,
            containing: containing,
            extensions: extensions,
            permitted: permitted,
            modes: modes,
            entitlements: entitlements,
            settings: draft.settings,
            secrets: draft.secrets.sorted(),
            handlers: handlers,
            library: library,
            limits: draft.limits?.value ?? .none,
            grants: grants
        )
        return (manifest, library)
    }

    // MARK: Single values

    func pluginIdentifier(_ field: Field<String>) -> Field<PluginIdentifier>? {
        if let identifier = PluginIdentifier(field.value) { return field.map { _ in identifier } }
        problems.reportIdentifier(field)
        return nil
    }

    private func shortText(_ field: Field<String>) -> String? {
        let text = field.value
        let isPlain = !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        if !text.isEmpty, text.utf8.count <= Self.longestText, isPlain { return text }
        problems.report(
            .wrongValue,
            at: field,
            "is \(text.inQuotes), not one line of 1 to \(Self.longestText) bytes without control characters",
            remedy: "write one short line"
        )
        return nil
    }

    /// Names of the functions that the library has to export; nil for a library with an entry function.
    private var boundFunctions: [Field<String>]? {
        if !draft.bindsFunctions || draft.role == .extension { return nil }
        return (draft.handlers?.value ?? []).compactMap { handler in
            handler.symbol.flatMap { FunctionBinding.flaw(inSymbol: $0.value) == nil ? $0 : nil }
        }
    }

    private func libraryPath(_ field: Field<String>) -> Field<String>? {
        let isAbsolute = field.value.hasPrefix("/")
        let mayBeAbsolute = boundFunctions != nil
        let path = isAbsolute && mayBeAbsolute ? field.value.dropFirst() : field.value[...]
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let longest = 1024
        let isTooLong = field.value.utf8.count > longest
        let message: String? =
            if isTooLong {
                "is a path of \(field.value.utf8.count) bytes; the maximum is \(longest)"
            } else if isAbsolute && !mayBeAbsolute {
                "is the absolute path \(field.value.inQuotes)"
            } else if field.value.isEmpty {
                "is empty"
            } else if let part = ["..", ".", ""].first(where: { parts.contains(Substring($0)) }) {
                "is \(field.value.inQuotes), which has \(part.isEmpty ? "an empty" : "a \"\(part)\"") part"
            } else {
                nil
            }
        guard let message else { return field }
        problems.report(
            .libraryPath,
            at: field,
            isTooLong || (isAbsolute && mayBeAbsolute)
                ? message : "\(message); a library is in the directory of its manifest or in the plugin directory",
            remedy: isTooLong
                ? "write a path of at most \(longest) bytes"
                : isAbsolute && mayBeAbsolute
                    ? "write the absolute path of a file, without the parts \".\" and \"..\", and without // or a"
                        + " slash at the end"
                    : "put the library there, and write its path in that directory, such as libFeed.so"
        )
        return nil
    }

    /// The digest in lower case; nil when an invalid one was reported.
    func digest(_ field: Field<String>, of subject: String = "the library") -> Field<String>? {
        let text = field.value.lowercased()
        if text.utf8.count == 64, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) {
            return field.map { _ in text }
        }
        problems.report(
            .wrongValue,
            at: field,
            "is \(field.value.inQuotes), not a SHA-256 digest of 64 hexadecimal digits",
            remedy: "write the digits that sha256sum prints for \(subject)"
        )
        return nil
    }
}
