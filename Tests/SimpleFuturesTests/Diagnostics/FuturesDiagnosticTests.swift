import SimpleFutures
import Testing
@testable import TestSupport

private let site = CreationSite(fileID: "App/Profile.swift", line: 42)

@Suite("FuturesDiagnostic", .watchdog)
struct FuturesDiagnosticTests {
    @Test(arguments: [
        (FuturesDiagnostic.completedTwice, "tryComplete"),
        (FuturesDiagnostic.blockCalledTwice, "use `futureStream(method:)`"),
        (FuturesDiagnostic.brokenPromise, "keep it"),
        (FuturesDiagnostic.emittedAfterFinish, "dropped"),
        (FuturesDiagnostic.emitterReleased, "Keep the object that holds the emitter"),
        (FuturesDiagnostic.blockCalledWithNeither, "annotate the future, as in `Future<String?>`"),
        (FuturesDiagnostic.completedWithItself, "Complete it with another one"),
        (FuturesDiagnostic.iteratedAgain, "or iterate `values` or `results`, which subscribe anew."),
    ])
    func `the description names the place and says what to do, and reads well without a place`(
        make: @Sendable (CreationSite?) -> FuturesDiagnostic, advice: String
    ) {
        let report = make(site)
        #expect(report.description.contains("App/Profile.swift:42"))
        #expect(report.description.contains(advice))
        #expect("\(report)" == report.description)
        let text = make(nil).description
        #expect(!text.contains("nil") && !text.contains("Optional") && !text.contains("  "), "\(text)")
    }

    @Test(arguments: [FuturesDiagnostic.completedTwice(createdAt: nil), .completedWithItself(createdAt: nil)])
    func `without a place the description says how to find it`(report: FuturesDiagnostic) {
        #expect(report.description.hasSuffix(" Had a promise made it, its line would be named here."))
    }
}

@Suite("FuturesError", .watchdog)
struct FuturesErrorTests {
    @Test func `errors are compared with their payloads, and can be members of a set, as in SimpleFutures 0.2`() {
        let site = CreationSite(fileID: "App/Profile.swift", line: 42)
        let errors: Set<FuturesError> = [
            .noSuchElement, .invalidValue, .invalidCompletion, .timedOut,
            .timedOut(after: .seconds(1), createdAt: site), .brokenPromise(createdAt: site),
            .brokenPromise(createdAt: nil), .bufferOverflow(dropped: 1), .noSuchElement,
        ]
        #expect(errors.count == 7)
        #expect(errors.contains(.timedOut(after: .seconds(2), createdAt: nil)))
        #expect(FuturesError.bufferOverflow(dropped: 1) != .bufferOverflow(dropped: 2))
        #expect(FuturesError.brokenPromise(createdAt: site) != .brokenPromise(createdAt: nil))
    }

    @Test(arguments: [
        (FuturesError.noSuchElement, ["recover", "iterated twice", "returned nil", "no futures"]),
        (.invalidValue, ["Check the value"]),
        (.brokenPromise(createdAt: site), ["App/Profile.swift:42", "keep it until"]),
        (.brokenPromise(createdAt: nil), ["Keep the source", "future or stream", "context must run"]),
        (.invalidCompletion, ["annotate the future, as in `Future<String?>`", "FuturesDiagnostics"]),
        (.timedOut, ["timeout(_:cancelling:)", "no result in the time given."]),
        (.bufferOverflow(dropped: 1), ["1 element was dropped"]),
        (.bufferOverflow(dropped: 2), ["2 elements were dropped", "Consume faster"]),
    ])
    func `the description says what to do`(error: FuturesError, advice: [String]) {
        for advice in advice { #expect(error.description.contains(advice)) }
        #expect("\(error)" == error.description)
        #expect(!error.description.contains("\n"))
    }
}

@Suite("CreationSite", .watchdog)
struct CreationSiteTests {
    @Test func `it names the given place, or the place where it was created`() {
        let here = CreationSite()
        #expect(here.fileID == #fileID)
        #expect(here.line == #line - 2)
        #expect(site.fileID == "App/Profile.swift")
        #expect(site.line == 42)
        #expect(site.description == "App/Profile.swift:42")
        #expect("\(site)" == "App/Profile.swift:42")
    }

    @Test func `equal places are equal and hash alike`() {
        let same = CreationSite(fileID: "App/Profile.swift", line: 42)
        #expect(site == same)
        #expect(site.hashValue == same.hashValue)
        #expect(site != CreationSite(fileID: "App/Profile.swift", line: 43))
        #expect(site != CreationSite(fileID: "App/Other.swift", line: 42))
    }

    @Test func `short file names and a huge line do no harm`() {
        #expect(CreationSite(fileID: "", line: 0).description == ":0")
        #expect(CreationSite(fileID: "ä", line: 1).fileID == "ä")
        #expect(CreationSite(fileID: "a", line: .max).line == Int(UInt32.max))
    }
}
