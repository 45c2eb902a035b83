// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import HostService

@Suite("The scheduler gets the samples that begin, continue and end a shortage of the disk")
struct DiskSurveyTests {
    private let free = DiskSpace(bytes: 1_000, freeBytes: 500)
    private let full = DiskSpace(bytes: 1_000, freeBytes: 1)

    @Test func `samples of a disk below its reserve are reported, and the first one above it`() {
        var survey = DiskSurvey()
        let reports = [free, full, full, free, free].map { survey.reports($0, under: DiskReserve()) }
        #expect(reports == [false, true, true, true, false])
    }

    @Test func `a shortage of the disk lasts while no sample can be taken, and its end is reported`() {
        var survey = DiskSurvey()
        let isBegun = survey.reports(full, under: DiskReserve())
        _ = survey.logsFailure()
        #expect(isBegun && survey.isShort)
        let isEnded = survey.reports(free, under: DiskReserve())
        #expect(isEnded && !survey.isShort)
    }

    @Test func `a failure to sample the disk is logged once, and again after a sample`() {
        var survey = DiskSurvey()
        var logged = [survey.logsFailure(), survey.logsFailure()]
        _ = survey.reports(free, under: DiskReserve())
        logged.append(survey.logsFailure())
        #expect(logged == [true, false, true])
    }
}
