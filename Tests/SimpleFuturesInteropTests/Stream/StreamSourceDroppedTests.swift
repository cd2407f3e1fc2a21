import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A dropped stream whose end alone is awaited", .watchdog)
struct StreamSourceDroppedTests {
    @Test func `a stream that is dropped where only its end is awaited ends`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let ends = Tally()
            for stopsBefore in [false, true] {
                var stream: FutureStream? = Faucet().stream()
                weak let core = stream?.core
                stream?.onFinish(context: ImmediateContext()) { ends.add() }
                if stopsBefore, let stream { Listening.success.begin(on: stream)() }
                stream = nil
                if core != nil { exit(1) }
            }
            exit(ends.count == 2 ? 7 : 2)
        }
    }

    @Test
    func `a stream that is dropped before the last listener leaves tells those who await its end`()
        async
    {
        await #expect(processExitsWith: .exitCode(7)) {
            let ends = Tally()
            var stream: FutureStream? = Faucet().stream()
            stream?.onFinish(context: ImmediateContext()) { ends.add() }
            let leave = stream.map { Listening.success.begin(on: $0) }
            stream = nil
            leave?()
            exit(ends.count == 1 ? 7 : 2)
        }
    }
}
