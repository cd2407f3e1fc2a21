import SimpleFutures
import Testing
@testable import TestSupport

@Suite("future(_:) and future(context:_:)", .watchdog)
struct FutureFunctionTests {
    private static func fail() throws -> Int { throw Oops.thrown }

    @Test func `an expression is evaluated at once`() {
        var calls = 0
        func count() -> Int {
            calls += 1
            return calls
        }
        #expect(future(count()).ended == .success(1))
        #expect(calls == 1)
        #expect(future(3).ended == .success(3))
        #expect(future("text").ended == .success("text"))
        #expect(future(()).completed)
    }

    @Test func `an expression that throws fails the future`() {
        #expect(future(try Self.fail()).ended == .failure(Oops.thrown))
    }

    @Test func `a closure runs on its context`() async {
        let context = ManualContext()
        let made = future(context: context) { 3 }
        #expect(made.ended == .pending)
        context.run()
        #expect(made.ended == .success(3))
        let serial = SerialContext()
        #expect(await future(context: serial) { serial.isCurrent }.end() == .success(true))
    }

    @Test func `a closure runs on the main queue by default`() async {
        #expect(await future { MainQueue.isCurrent }.end() == .success(true))
    }

    @Test func `an error thrown by a closure fails the future`() {
        #expect(future(context: immediate) { try Self.fail() }.ended == .failure(Oops.thrown))
        #expect(future(context: immediate) { () -> Int in throw Oops.thrown }.ended == .failure(Oops.thrown))
    }

    @Test func `a closure with several statements needs no annotation`() {
        let made = future(context: immediate) {
            let one = 1
            return one + 1
        }
        #expect(made.ended == .success(2))
    }

    @Test func `a dropped closure breaks the future`() {
        #expect(future(context: DroppingContext()) { 1 }.ended == .broken)
    }

    @Test func `a closure without a result creates a future of Void`() {
        let log = Log<Int>()
        let made: Future<Void> = future(context: immediate) { log.add(1) }
        #expect(made.completed)
        #expect(log.all == [1])
    }

    @Test func `a closure is released when it has run`() {
        var made: Future<Int>?
        let watch = Watch { probe in
            made = future(context: immediate) {
                probe.use()
                return 1
            }
        }
        #expect(watch.isReleased)
        #expect(made?.ended == .success(1))
    }
}
