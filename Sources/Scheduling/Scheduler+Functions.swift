// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

extension Scheduler {
    /// Whether a launch is still loading a library whose functions its manifest binds.
    package func isLoadingFunctions(_ number: LaunchNumber) -> Bool {
        launches[number].map { $0.bindsFunctions && $0.entry == .running } ?? false
    }
}
