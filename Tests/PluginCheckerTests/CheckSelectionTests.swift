// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginChecker
import Testing

@Suite("A check is excluded by name and with a reason only")
struct CheckSelectionTests {
    private func problem(_ include: String?, _ exclude: String?, _ reason: String?) -> String? {
        do throws(CheckSelection.Problem) {
            _ = try CheckSelection(include: include, exclude: exclude, reason: reason)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `an exclusion of plugin checks requires a reason, and a reason requires an exclusion`() {
        #expect(problem(nil, "elf-.*", nil)?.contains("--reason") == true)
        #expect(problem(nil, "elf-.*", "")?.contains("--reason") == true)
        #expect(problem(nil, nil, "why not")?.contains("--exclude") == true)
        #expect(problem(nil, "elf-.*", "stripped by the packager") == nil)
    }

    @Test func `an expression that is invalid or matches no plugin check is reported with its option`() {
        #expect(problem("(", nil, nil)?.contains("--include (") == true)
        let unmatched = problem(nil, "frobnicate", "x")
        #expect(unmatched?.contains("--exclude frobnicate") == true && unmatched?.contains("--list") == true)
    }
}
