// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A task of minutes, launched while the machine is idle.
open class BGProcessingTask: BGTask {}

extension BGProcessingTask: @unchecked Sendable {}
