import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Registration", .watchdog)
struct RegistrationTests {
    @Test func `an empty registration has nothing to cancel`() {
        #expect(!Registration().cancel())
    }

    @Test(arguments: [true, false])
    func `it returns its closure's result`(prevented: Bool) {
        let log = Log<Void>()
        let registration = Registration {
            log.add(())
            return prevented
        }
        #expect(log.count == 0)
        #expect(registration.cancel() == prevented)
        #expect(log.count == 1)
    }

    @Test func `the result of cancel can be ignored`() {
        Registration { true }.cancel()
    }

    @Test func `it can be sent to another thread`() async {
        let registration = Registration { true }
        #expect(await onThread { registration.cancel() })
    }
}
