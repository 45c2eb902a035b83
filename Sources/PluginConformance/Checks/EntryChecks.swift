// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginTrial
import TaskModel

extension ConformanceCheck {
    /// Checks about loading and entry.
    static let entryChecks = [
        loadNow, threadKept, entryInTime, entryWithinStruct, entryReserved, registerPermitted, registerOnce,
        extensionRegistersNothing, entrySucceeds,
    ]

    private static let loadNow = ConformanceCheck(
        "load-now",
        level: 1,
        rule: .abi(.version),
        "the loader loads the library with RTLD_NOW in the sandbox of a launch",
        remedy: "examine the library with: bgtask plugin inspect LIBRARY",
        needs: []
    ) { logs, _ in
        logs.flatMap { log in
            log.all { if case .loadFailed(let message) = $0 { ConformanceFlaw(.fault, message) } else { nil } }
        }
    }

    private static let threadKept = ConformanceCheck(
        "thread-kept",
        level: 1,
        rule: .abi(.noUnwinding),
        "callbacks return, and do not end their thread",
        violation: .endedThread,
        remedy: "return from the callback instead of calling pthread_exit or dispatch_main; this includes entry,"
            + " run_main, stop and release",
        needs: ["load-now"]
    )

    private static let entryInTime = ConformanceCheck(
        "entry-in-time",
        level: 1,
        rule: .abi(.sharedBudget),
        "constructors and entry return within the budget",
        remedy: "move work from constructors and entry into the handlers; entry runs at every launch",
        needs: ["load-now", "thread-kept"]
    ) { logs, _ in
        logs.filter { !$0.hasEntered && $0.isOverdue }
            .map { _ in ConformanceFlaw(.time, "entry did not return before the end of the grace period") }
    }

    private static let entryWithinStruct = ConformanceCheck(
        "entry-within-struct",
        level: 1,
        rule: .abi(.growingStructs),
        "entry writes only fields of bgt_plugin that the host has",
        violation: .wroteBehindStruct,
        remedy: "ask BGTASK_HAS(plugin, FIELD) before writing a field of a later minor version",
        needs: ["load-now"]
    )

    private static let entryReserved = ConformanceCheck(
        "entry-reserved",
        level: 1,
        rule: .abi(.growingStructs),
        "entry leaves reserved fields zero",
        violation: .wroteReserved,
        remedy: "do not write bgt_plugin.reserved",
        needs: ["load-now"]
    )

    private static let registerPermitted = ConformanceCheck(
        "register-permitted",
        level: 1,
        rule: .abi(.registration),
        "every registered identifier is permitted by the manifest",
        violation: .registeredUnpermitted,
        remedy: "add the identifier to permitted-identifiers, or remove the registration",
        needs: ["load-now"]
    )

    private static let registerOnce = ConformanceCheck(
        "register-once",
        level: 1,
        rule: .abi(.registration),
        "every identifier has one handler",
        violation: .registeredTwice,
        remedy: "remove the second registration; the first handler stays",
        needs: ["load-now"]
    )

    private static let extensionRegistersNothing = ConformanceCheck(
        "extension-registers-nothing",
        level: 1,
        rule: .abi(.noHandlersOfExtensions),
        "an extension registers no handler",
        remedy: "register the handler in the main plugin",
        needs: ["load-now"],
        trials: { $0.isExtension ? .scripts($0.ordinary) : .inapplicable("the plugin is no extension") }
    ) { logs, _ in logs.flatMap { $0.violations(.registeredByExtension) } }

    private static let entrySucceeds = ConformanceCheck(
        "entry-succeeds",
        level: 1,
        rule: .abi(.registration),
        "constructors and entry run without a crash, and entry returns BGT_OK",
        remedy: "return BGT_OK from entry unless the plugin cannot work at all; after a crash, debug constructors"
            + " and entry",
        needs: [
            "load-now", "thread-kept", "entry-in-time", "entry-within-struct", "entry-reserved",
            "register-permitted", "register-once", "extension-registers-nothing",
        ]
    ) { logs, _ in
        logs.flatMap { $0.hasEntered ? $0.failedEntry() : $0.crash + $0.exit }
    }

    /// Checks about the registrations of a plugin whose entry succeeds.
    static let registrationChecks = [
        registerInEntry, submitRegistered, registerAll, receivesTriggers,
    ]

    private static let registerInEntry = ConformanceCheck(
        "register-in-entry",
        level: 1,
        rule: .abi(.registration),
        "identifiers are registered in entry, except for continued tasks",
        violation: .registeredLate,
        remedy: "move the registration into entry",
        needs: ["entry-succeeds"]
    )

    private static let submitRegistered = ConformanceCheck(
        "submit-registered",
        level: 1,
        rule: .abi(.registration),
        "a submitted identifier has a handler in the process",
        violation: .submittedUnregistered,
        remedy: "register a handler of the identifier in entry",
        needs: ["entry-succeeds"]
    )

    private static let registerAll = ConformanceCheck(
        "register-all",
        level: 1,
        rule: .abi(.registration),
        "every identifier of the manifest has a handler when entry returns",
        remedy: "register a handler in entry, or remove the identifier from permitted-identifiers; a due task"
            + " without a handler ends as not-registered; permit an identifier of continued tasks by a pattern to"
            + " register it later",
        needs: ["entry-succeeds", "register-in-entry", "submit-registered"],
        trials: { plugin in
            plugin.exact.isEmpty
                ? .inapplicable("the manifest permits no exact identifier")
                : .scripts([plugin.standard])
        }
    ) { logs, plugin in
        logs.flatMap { log in
            plugin.exact.filter { log.registered?.permits($0) == false }
                .map { ConformanceFlaw(.fault, "\($0) had no handler when entry returned") }
        }
    }

    private static let receivesTriggers = ConformanceCheck(
        "receives-triggers",
        level: 1,
        rule: .abi(.noHandlersOfExtensions),
        "an extension receives its triggers",
        remedy: "set bgt_plugin.receive in entry; a trigger without a receiver ends as not-registered",
        needs: ["entry-succeeds"],
        trials: { $0.isExtension ? .scripts([$0.standard]) : .inapplicable("the plugin is no extension") }
    ) { logs, _ in
        logs.flatMap { log in
            log.all { event -> ConformanceFlaw? in
                guard case .entered(status: 0, registered: _, offersReceive: false, cause: _) = event else {
                    return nil
                }
                return ConformanceFlaw(.fault, "bgt_plugin.receive was NULL when entry returned")
            }
        }
    }
}
