import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Ready handlers of reports", .watchdog)
struct HandlerTests {
    @Test func `a report goes to standard error, in one line`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            FuturesDiagnostics.handler = FuturesDiagnostics.printToStandardError
            let promise = Promise<Int>(fileID: "App/Profile.swift", line: 3)
            promise.success(1)
            promise.success(2)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            text == """
                SimpleFutures: A future created at App/Profile.swift:3 was completed again; its first result stays. Use \
                `tryComplete`, `trySuccess` or `tryFailure` where this is expected.

                """)
    }
}
