// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A processing task of a study.
public final class BGHealthResearchTask: BGProcessingTask, @unchecked Sendable {}
