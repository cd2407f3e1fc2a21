import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Registration", .watchdog)
struct RegistrationTests {
    @Test func `an empty registration has nothing to cancel`() {
        #expect(!Registration().cancel())
    }

    @Test(arguments: [true, false])
    func `it says what its closure says`(prevented: Bool) {
        let log = Log<Void>()
        let registration = Registration {
            log.add(())
            return prevented
        }
        #expect(log.count == 0)
        #expect(registration.cancel() == prevented)
        #expect(log.count == 1)
    }

    @Test func `the result of cancel may be ignored`() {
        Registration { true }.cancel()
    }

    @Test func `it crosses threads`() async {
        let registration = Registration { true }
        #expect(await onThread { registration.cancel() })
    }
}
