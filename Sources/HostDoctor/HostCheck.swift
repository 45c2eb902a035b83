// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
package import HostConfiguration
import PluginCatalogue
import TaskLedger
import TaskModel

/// Checks the files and settings that a host reads at its start, by the same rules. It changes nothing: it keeps no
/// lock, leaves no file behind, and reads a ledger only while no host uses it.
package struct HostCheck {
    let configuration: HostConfiguration
    let environment: [String: String]
    let socketFacts: (_ path: String) -> SocketFacts
    private let configurationProblems: [String]
    private(set) var findings: [HostFinding] = []
    private(set) var isRunning = false
    /// Contents of the ledger; nil when the ledger was not read.
    private var snapshot: LedgerSnapshot?

    /// Creates the check of a configuration.
    ///
    /// - Parameters:
    ///   - environment: environment of the process, for the search of `bgtaskd` in PATH.
    ///   - socketFacts: returns the facts about the control socket at a path.
    package init(
        _ reading: HostConfigurationReading,
        environment: [String: String],
        socketFacts: @escaping (_ path: String) -> SocketFacts
    ) {
        configuration = reading.configuration
        configurationProblems = reading.problems
        self.environment = environment
        self.socketFacts = socketFacts
        checkConfiguration()
        let presence = HostPresence(stateDirectory: configuration.stateDirectory)
        checkPresence(presence)
        checkSocket(isRunning: presence.isRunning)
        let directory = checkStateDirectory()
        if directory.isReadable {
            checkLedger(presence)
            checkContainers(in: directory)
        }
        checkRunner()
        let hasOwnUsers = checkPluginUsers()
        checkControlGroups()
        checkIsolation(hasOwnUsers: hasOwnUsers)
        checkPlugins(known: snapshot?.known ?? [])
    }

    package var reply: HostCheckReply {
        HostCheckReply(stateDirectory: configuration.stateDirectory, isRunning: isRunning, findings: findings)
    }

    mutating func add(_ verdict: HostFinding.Verdict, _ subject: HostFinding.Subject, _ message: String) {
        findings.append(HostFinding(verdict: verdict, subject: subject, message: message))
    }

    // MARK: Configuration and presence

    private mutating func checkConfiguration() {
        for problem in configurationProblems { add(.problem, .configuration, problem) }
        if !configurationProblems.isEmpty {
            add(.note, .configuration, "the other checks treat each value that could not be read as absent")
        } else {
            add(.fine, .configuration, configuration.file ?? "no configuration file: only defaults and options")
        }
    }

    /// Checks whether a host of this user may start with the users that the configuration gives to plugins. Returns
    /// whether each plugin would have a user of its own.
    private mutating func checkPluginUsers() -> Bool {
        do throws(HostError) {
            let users = try PluginUsers(configuration.pluginUsers, .ofThisProcess())
            switch users {
            case .own(let range):
                let users = "each main plugin shares a user of its own from \(range) with its extensions"
                add(.fine, .pluginUsers, users)
            case .hostUser(let reason): add(.fine, .pluginUsers, "plugins run as the host's user: \(reason)")
            }
            return users.range != nil
        } catch {
            add(.problem, .pluginUsers, error.message)
            return false
        }
    }

    private mutating func checkPresence(_ presence: HostPresence) {
        switch presence {
        case .running(let process):
            isRunning = true
            let name = process.map { "process \($0)" } ?? "process number unknown"
            add(
                .note,
                .host,
                "a host (\(name)) uses \(configuration.stateDirectory); its ledger and its containers are not"
                    + " checked; stop the host to check them"
            )
        case .stopped:
            add(.fine, .host, "no host uses \(configuration.stateDirectory)")
        case .unknown(let error):
            let remedy =
                [EACCES, EPERM].contains(error)
                ? "run this command as the host's own user"
                : "check the file host.lock there, or name another directory with --state-directory"
            add(
                .problem,
                .host,
                "whether a host uses \(configuration.stateDirectory) is unknown: \(String(cString: strerror(error)));"
                    + " \(remedy)"
            )
        }
    }

    // MARK: The ledger

    private mutating func checkLedger(_ presence: HostPresence) {
        guard case .stopped = presence else { return }
        let path = configuration.stateDirectory + "/ledger/ledger.sqlite"
        let inspection = LedgerInspection(path: path)
        snapshot = inspection.snapshot
        for problem in inspection.problems { add(.problem, .ledger, problem) }
        switch inspection.state {
        case .refused:
            break
        case .absent:
            add(.fine, .ledger, "\(path) does not exist yet; the host creates an empty ledger")
        case .readable(let version):
            let upgrade = checkUpgrade(of: path, from: version)
            let pending = inspection.pendingRequests.map { "; pending requests: \($0)" } ?? ""
            add(.fine, .ledger, "\(path) has version \(version), and its pages are intact\(pending)\(upgrade)")
            let cutShort = inspection.snapshot?.running.count ?? 0
            if cutShort > 0 {
                let launches = cutShort == 1 ? "1 launch was" : "\(cutShort) launches were"
                add(
                    .note,
                    .ledger,
                    "\(launches) running when the last host ended; the next host kills their leftover processes,"
                        + " and requeues their tasks, except cancelled, stopped and superseded tasks, and tasks during"
                        + " which the host or the machine went down too often"
                )
            }
        }
        checkCopies(of: path)
    }

    // MARK: Containers

    private mutating func checkContainers(in directory: StateDirectoryFacts) {
        // Without the ledger the check cannot recognize a container that waits for the return of its plugin.
        guard let snapshot else { return }
        let installed = contents(known: snapshot.known).entries.map(\.identifier.text)
        let known = Set(installed + snapshot.known.map(\.identifier.text))
        for name in directory.containers where name.hasPrefix(".purged-") {
            add(
                .note,
                .container,
                "\(directory.path)/containers/\(name) is the rest of a purged container;"
                    + " the host deletes it at its start"
            )
        }
        for name in directory.containers where !known.contains(name) && !name.hasPrefix(".purged-") {
            add(
                .note,
                .container,
                "\(directory.path)/containers/\(name) belongs to no known plugin; install that plugin again, or"
                    + " delete the directory if its data is not needed"
            )
        }
    }
}
