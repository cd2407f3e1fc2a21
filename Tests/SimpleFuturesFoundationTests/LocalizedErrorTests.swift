import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import Testing
@testable import TestSupport

@Suite("Errors of the library, localized")
struct LocalizedErrorTests {
    @Test(arguments: [FuturesError.timedOut, .noSuchElement, .brokenPromise(createdAt: CreationSite())])
    func `what an alert shows is what happened and what to do`(_ error: FuturesError) {
        let error: any Error = error
        #expect(error.localizedDescription == "\(error)")
    }
}
