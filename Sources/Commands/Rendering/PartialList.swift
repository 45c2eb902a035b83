// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The line that is printed below a list while the host is still loading.
enum PartialList {
    static let text = "the host is still loading: plugins that are not loaded yet, and their work, are missing here\n"
}
