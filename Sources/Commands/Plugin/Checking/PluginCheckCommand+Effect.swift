// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import Glibc
import PluginChecker
import PluginConformance

// Options that change nothing are most likely a mistake, so they are refused.
extension PluginCheckCommand {
    /// Throws for an option that would change nothing.
    func refuseOptionsWithoutEffect() throws {
        let ofTrials = [
            ("--jobs", jobs != nil), ("--seed", seed != nil), ("--slack", slack != nil), ("--kind", !kind.isEmpty),
            ("--setting", !trial.setting.isEmpty), ("--secret", !trial.secret.isEmpty),
        ]
        if level ?? 0 == 0 || list, let option = ofTrials.first(where: \.1)?.0 {
            throw ValidationError(
                list
                    ? "--list runs no check, and \(option) has no effect; leave it out"
                    : "\(option) has no effect at level 0, which runs no plugin; add --level 1 or higher, or leave it out"
            )
        }
        let ofReports = [("--junit", junit != nil), ("--only-failed", onlyFailed), ("--profile", profile != nil)]
        if list, let option = ofReports.first(where: \.1)?.0 {
            throw ValidationError("--list runs no check, and \(option) has no effect; leave it out")
        }
        if let junit, !Self.isReplaceable(junit) {
            throw ValidationError("--junit \(junit) is not a regular file; name a file")
        }
    }

    /// Whether there is a regular file at the path, or no file. Follows symbolic links.
    private static func isReplaceable(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }

    /// The checks to run. Throws for expressions that are invalid or select nothing, and when only one of exclusion and
    /// reason is given.
    func selection() throws -> CheckSelection {
        do {
            let names = CheckList(level: list ? ConformanceCheck.highestLevel : level ?? 0).names
            return try CheckSelection(
                include: include,
                exclude: exclude,
                reason: reason,
                profile: profile,
                among: names
            )
        } catch {
            let all = CheckList(level: ConformanceCheck.highestLevel)
            // The expressions may be right, and the level too low.
            if (try? CheckSelection(include: include, exclude: exclude, reason: reason, among: all.names)) != nil {
                throw ValidationError(
                    "--include or --exclude matches only checks above level \(level ?? 0); raise --level, up to"
                        + " \(ConformanceCheck.highestLevel)"
                )
            }
            throw ValidationError("\(error)")
        }
    }
}
