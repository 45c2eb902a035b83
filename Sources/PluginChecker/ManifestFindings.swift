// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import PluginBinary
internal import PluginCatalogue
internal import TaskModel

/// The findings about one manifest and its libraries, grouped by check: about the library of this machine, and about
/// those that the manifest names for other architectures.
struct ManifestFindings {
    private let manifest: ExaminedManifest
    private let survey: BinarySurvey?
    private var findings: [PluginCheck: [CheckFinding]] = [:]

    /// Collects the findings.
    ///
    /// - Parameters:
    ///   - neighbourly: the problems of the manifest in the catalogue; only those in relation to other manifests count.
    ///   - pluginDirectory: the directory of libraries that are not beside their manifest; nil for none.
    init(_ manifest: ExaminedManifest, besides neighbourly: [DocumentProblem], pluginDirectory: String?) {
        self.manifest = manifest
        let use = manifest.reading.library?.use ?? .entry
        survey = manifest.libraryPath.map { BinarySurvey(path: $0, for: use) }
        for problem in manifest.reading.problems {
            add(CheckFinding(problem), to: PluginCheck(manifestRule: problem.rule))
        }
        for problem in manifest.libraryProblems where Self.areOfFinder.contains(problem.rule) {
            add(CheckFinding(problem), to: PluginCheck(manifestRule: problem.rule))
        }
        for problem in neighbourly {
            let check = PluginCheck(manifestRule: problem.rule)
            if check.row.group == .neighbours { add(CheckFinding(problem), to: check) }
        }
        addLibrary()
        let others = OtherLibraryFindings(
            manifest: manifest.reading.file,
            libraries: manifest.reading.library?.others ?? [],
            pluginDirectory: pluginDirectory
        )
        for finding in others.all { add(finding, to: .libraryArchitectures) }
    }

    /// The rules about the place, the pins and the signature of the library. All other rules for libraries are about
    /// the contents.
    private static let areOfFinder: Set<DocumentProblem.Rule> = [
        .libraryPath, .libraryMissing, .libraryChanging, .digest, .files, .unpinned, .signature, .revokedKey, .unsigned,
        .unacceptedSignature, .unpinnedLibrary,
    ]

    private mutating func addLibrary() {
        guard let survey, isFound else { return }
        for problem in survey.problems {
            // The problem at the manifest's binding is more precise than the one at the library.
            let known = problem.symbol == nil ? nil : manifest.libraryProblems.first { $0.message == problem.message }
            add(known.map(CheckFinding.init) ?? CheckFinding(problem), to: PluginCheck(problem.kind))
        }
        if survey.problems.isEmpty {
            // The catalogue's problem is about a private library, or the file changed between two reads.
            for problem in manifest.libraryProblems where !Self.areOfFinder.contains(problem.rule) {
                let isOfSearchPath = problem.rule.rawValue == ManifestRule.searchPath.rawValue
                add(CheckFinding(problem), to: isOfSearchPath ? .elfSearchPath : .elfStatic)
            }
        }
        guard let traits = survey.traits else { return }
        let linkage = LibraryLinkage(path: survey.path)
        for problem in linkage.problems { add(CheckFinding(problem), to: PluginCheck(problem.kind)) }
        for problem in linkage.doubts { add(CheckFinding(problem, isCertain: false), to: PluginCheck(problem.kind)) }
        if traits.wantsExecutableStack {
            warn(
                .elfHardened,
                "library \(survey.path.inQuotes) requires an executable stack, for the whole runner process",
                remedy: "link it with -Wl,-z,noexecstack, and end assembly files with .note.GNU-stack"
            )
        }
        // The libraries of Go have the flag in every build, and use little of that space.
        if traits.usesStaticThreadStorage, traits.language != .go {
            warn(
                .elfDlopenFlags,
                "library \(survey.path.inQuotes) keeps variables per thread in space that the loader reserves at the start"
                    + " of a program (DF_STATIC_TLS); it cannot be loaded when that space is used up",
                remedy: "build it without -ftls-model=initial-exec"
            )
        }
    }

    private mutating func warn(_ check: PluginCheck, _ message: String, remedy: String) {
        let file = survey?.path ?? ""
        add(CheckFinding(warningAbout: file, rule: check.rule, message, remedy: remedy), to: check)
    }

    private mutating func add(_ finding: CheckFinding, to check: PluginCheck) {
        findings[check, default: []].append(finding)
    }

    // MARK: Results

    func result(of check: PluginCheck) -> CheckResult {
        if let found = findings[check] { return CheckResult(check, found) }
        if let reason = obstacle(to: check) { return CheckResult(skipping: check, because: reason) }
        return CheckResult(check, [])
    }

    /// The reason why a check without findings has no result; nil when the check has passed.
    private func obstacle(to check: PluginCheck) -> String? {
        switch check.row.group {
        case .text: nil
        case .manifest: obstacle(toManifestCheck: check)
        case .place: obstacle(toPlaceCheck: check)
        case .file, .contents: obstacle(toLibraryCheck: check)
        case .neighbours: obstacle(toNeighbourCheck: check)
        }
    }

    private func obstacle(toManifestCheck check: PluginCheck) -> String? {
        if fails(.manifestReadable) { return "the manifest is invalid" }
        // The missing feature may have keys and values that are unknown here.
        if fails(.manifestRequires) { return Self.withoutFeature }
        return check == .provenance && manifest.reading.manifest == nil ? "the manifest is invalid" : nil
    }

    private static let withoutFeature = "the check manifest-requires failed"

    private func obstacle(toPlaceCheck check: PluginCheck) -> String? {
        if fails(.manifestRequires) { return Self.withoutFeature }
        guard let library = manifest.reading.library else { return "the manifest names no valid library" }
        if check == .filesPinned { return isFound ? nil : "the check library-found did not pass" }
        if check == .libraryArchitectures, library.others.isEmpty { return "the manifest names one library" }
        if check != .libraryPinned { return nil }
        if library.pinnedDigest == nil { return "the manifest pins no digest" }
        return manifest.library == nil ? "the library is missing or refused" : nil
    }

    private func obstacle(toLibraryCheck check: PluginCheck) -> String? {
        guard manifest.libraryPath != nil, isFound else { return "the check library-found did not pass" }
        return check.row.group == .contents && survey?.traits == nil && fails(.elfStatic)
            ? "the check elf-static failed" : nil
    }

    private func obstacle(toNeighbourCheck check: PluginCheck) -> String? {
        guard manifest.reading.manifest != nil, manifest.library != nil else {
            return "the manifest or its library is refused"
        }
        if check != .identifierFree, fails(.identifierFree) { return "the check identifier-free did not pass" }
        if check == .containingPlugin, manifest.reading.manifest?.role == .main {
            return "the plugin is a main plugin"
        }
        return nil
    }

    private var isFound: Bool { !fails(.libraryFound) }

    private func fails(_ check: PluginCheck) -> Bool {
        findings[check]?.contains { $0.severity == .error } ?? false
    }
}
