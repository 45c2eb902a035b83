// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The metrics of a host. The order of the cases is the order in the text.
package enum Metric: String, Hashable, Sendable, CaseIterable {
    case taskEligibleDelay = "task_eligible_delay_seconds"
    case taskWait = "task_wait_seconds"
    case taskRun = "task_run_seconds"
    case taskOutcomes = "task_outcomes"
    case tasksPending = "tasks_pending"
    case tasksRunning = "tasks_running"
    case oldestEligible = "oldest_eligible_seconds"
    case oldestPending = "oldest_pending_seconds"
    case pushes = "pushes"
    case transfersOpen = "transfers_open"
    case transfers = "transfers"
    case transferBytes = "transfer_bytes"
    case claimsOpen = "claims_open"
    case leaseTrusted = "lease_trusted"
    case leaseContactAge = "lease_contact_age_seconds"
    case launches = "launches"
    case launchBudgetUsed = "launch_budget_used_ratio"
    case launchOverrun = "launch_overrun_seconds"
    case condition = "condition"
    case journalEvents = "journal_events"
    case ledgerCommit = "ledger_commit_seconds"
    case ledgerCommitBatch = "ledger_commit_batch"
    case ledgerWritable = "ledger_writable"
    case ledgerSize = "ledger_size_bytes"
    case controlRequest = "control_request_seconds"
    case plugin = "plugin"
    case build = "build"
    case processStart = "process_start_time_seconds"
    case processCPU = "process_cpu_seconds"
    case processMemory = "process_resident_memory_bytes"
    case processDescriptors = "process_open_fds"

    package enum Kind: String, Hashable, Sendable {
        case counter, gauge, histogram, info
    }

    /// The name of the family without the suffixes of its samples, such as `bgtask_launches`.
    package var family: String { "bgtask_" + rawValue }

    /// The names of the samples in both formats, such as `bgtask_launches_total`.
    package var sampleNames: [String] {
        switch row.kind {
        case .counter: ["\(family)_total"]
        case .gauge: [family]
        case .histogram: ["\(family)_bucket", "\(family)_sum", "\(family)_count"]
        case .info: ["\(family)_info"]
        }
    }

    /// The last part of the name if it is a unit; nil for a metric without a unit.
    package var unit: String? {
        ["seconds", "ratio", "bytes"].first { rawValue.hasSuffix("_\($0)") }
    }

    package var kind: Kind { row.kind }
    package var labels: [String] { row.labels }
    package var help: String { row.help }

    private var row: (kind: Kind, labels: [String], help: String) {
        switch self {
        case .taskEligibleDelay:
            (
                .histogram, ["plugin", "kind"],
                "Time from the moment at which only other work and the host delayed a task to its start."
            )
        case .taskWait:
            (.histogram, ["plugin", "kind"], "Time from a submission, or the creation of an event, to the start.")
        case .taskRun:
            (.histogram, ["plugin", "kind", "outcome"], "Time from the start of a task to its outcome.")
        case .taskOutcomes:
            (
                .counter, ["plugin", "kind", "outcome", "blame"],
                "Outcomes of tasks. The outcome interrupted is no failure: the task runs again."
            )
        case .tasksPending:
            (.gauge, ["kind"], "Pending requests and waiting events of the loaded plugins.")
        case .tasksRunning: (.gauge, ["plugin", "kind"], "Running tasks.")
        case .oldestEligible:
            (.gauge, ["lane"], "Wait for capacity of the plugin that has waited longest; 0 when none waits.")
        case .oldestPending:
            (.gauge, [], "Time since the oldest pending request or event was submitted or created; 0 for none.")
        case .pushes:
            (
                .counter, ["result"],
                "Pushes: accepted, and of these delivered, replaced, superseded, lapsed, cancelled and abandoned."
            )
        case .transfersOpen:
            (.gauge, ["state"], "Transfers without an end: running, and waiting, which includes the paused ones.")
        case .transfers:
            (
                .counter, ["direction", "result"],
                "Ended transfers: finished, cancelled, or failed with the code of the result."
            )
        case .transferBytes: (.counter, ["direction"], "Bytes of the files of finished transfers.")
        case .claimsOpen:
            (.gauge, ["lease", "bound"], "Pending requests and running tasks with a claim of a fleet.")
        case .leaseTrusted: (.gauge, ["lease"], "1 while the host trusts the lease of a feeder, 0 otherwise.")
        case .leaseContactAge:
            (
                .gauge, ["lease"],
                "Time since the last renewal of the lease; no sample before the first one of this host."
            )
        case .launches: (.counter, ["plugin", "lane", "outcome"], "Ended launches.")
        case .launchBudgetUsed:
            (.histogram, ["plugin", "lane"], "Running time of a launch as a part of its budget; above 1 it overran.")
        case .launchOverrun:
            (.histogram, ["plugin", "lane"], "Running time beyond the budget, of the launches that overran.")
        case .condition:
            (.gauge, ["condition"], "1 while the condition holds, 0 otherwise. An unknown condition has no sample.")
        case .journalEvents: (.counter, ["event", "blame"], "Journal entries.")
        case .ledgerCommit: (.histogram, [], "Time to write a group of commits to the ledger.")
        case .ledgerCommitBatch: (.histogram, [], "Number of commits in a group that is written in one transaction.")
        case .ledgerWritable: (.gauge, [], "1 while the newest commit succeeded, 0 while the ledger cannot be written.")
        case .ledgerSize: (.gauge, [], "Size of the ledger with its write-ahead log.")
        case .controlRequest:
            (.histogram, ["route", "method", "code"], "Time from a request at the control socket to its response.")
        case .plugin:
            (.info, ["plugin", "version", "role", "digest"], "Installed plugins; digest is that of the library.")
        case .build: (.info, ["version"], "The release of the host.")
        case .processStart: (.gauge, [], "Start time of the host in seconds since 1970; every counter began at 0 then.")
        case .processCPU: (.counter, [], "Processor time of the host process without its runners.")
        case .processMemory: (.gauge, [], "Resident memory of the host process without its runners.")
        case .processDescriptors: (.gauge, [], "Open file descriptors of the host process.")
        }
    }
}
