// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A processing task of a study.
open class BGHealthResearchTask: BGProcessingTask {}

extension BGHealthResearchTask: @unchecked Sendable {}
