import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FuturesError", .watchdog)
struct FuturesErrorTests {
    private static let site = CreationSite(fileID: "App/Profile.swift", line: 42)

    @Test func `errors are compared with their payloads`() {
        #expect(FuturesError.timedOut == .timedOut)
        #expect(FuturesError.timedOut != .noSuchElement)
        #expect(FuturesError.bufferOverflow(dropped: 1) != .bufferOverflow(dropped: 2))
        #expect(FuturesError.brokenPromise(createdAt: Self.site) == .brokenPromise(createdAt: Self.site))
        #expect(FuturesError.brokenPromise(createdAt: Self.site) != .brokenPromise(createdAt: nil))
    }

    @Test(arguments: [
        (FuturesError.noSuchElement, "recover"),
        (.invalidValue, "Check the value"),
        (.brokenPromise(createdAt: site), "App/Profile.swift:42"),
        (.brokenPromise(createdAt: site), "keep it until"),
        (.brokenPromise(createdAt: nil), "Keep the source"),
        (.noSuchElement, "iterated twice"),
        (.invalidCompletion, "annotate the future, as in `Future<String?>`"),
        (.invalidCompletion, "FuturesDiagnostics"),
        (.timedOut, "timeout(_:cancelling:)"),
        (.bufferOverflow(dropped: 1), "1 element was dropped"),
        (.bufferOverflow(dropped: 2), "2 elements were dropped"),
        (.bufferOverflow(dropped: 2), "Consume faster"),
    ])
    func `the description says what to do`(error: FuturesError, advice: String) {
        #expect(error.description.contains(advice))
        #expect("\(error)" == error.description)
        #expect(!error.description.contains("\n"))
    }
}
