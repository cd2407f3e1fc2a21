import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("The times of a stream that ticks", .watchdog)
final class EveryTimeTests {
    /// Ends what a test has left running.
    private let closed = CancelToken()
    private let context = ManualContext()
    private let heard = Box<[Int]>([])

    deinit { closed.cancel() }

    private func listen(to stream: FutureStream<Int>, cancelToken: CancelToken = .none) {
        stream.onSuccess(context: ImmediateContext(), cancelToken: cancelToken) { [heard] in heard.append($0) }
    }

    @Test func `ticks that are late come as one, with the number of the latest, and the next is in time`() {
        let stream = FutureStream.every(.seconds(1), context: context, cancelToken: closed)
        let (context, heard) = (context, heard)
        stream.onSuccess(context: ImmediateContext()) { number in
            heard.append(number)
            // The context is busy.
            if number == 2 { context.advance(by: .milliseconds(3_400)) }
        }
        context.advance(by: .seconds(2))
        #expect(heard.value == [1, 2])
        // 5.4 seconds have passed: 3 and 4 are left out.
        context.run()
        context.advance(by: .zero)
        #expect(heard.value == [1, 2, 5])
        context.advance(by: .milliseconds(500))
        #expect(heard.value == [1, 2, 5])
        context.advance(by: .milliseconds(100))
        #expect(heard.value == [1, 2, 5, 6])
    }

    @Test func `a callback that takes its time delays no later one`() {
        let stream = FutureStream.every(.milliseconds(300), context: context, cancelToken: closed)
        let times = Box<[Duration]>([])
        stream.onSuccess(context: ImmediateContext()) { [context] _ in
            times.append(context.now)
            context.advance(by: .milliseconds(100))
        }
        context.advance(by: .seconds(3))
        #expect(times.value.prefix(10) == (1...10).map { .milliseconds(300 * $0) }[...])
    }

    @Test(arguments: [Duration.nanoseconds(1), .nanoseconds(333), .milliseconds(7), .seconds(86_400)])
    func `times do not drift`(_ period: Duration) {
        let stream = FutureStream.every(period, context: context, cancelToken: closed)
        listen(to: stream)
        for tick in 1...200 {
            context.advance(by: period * tick - context.now)
            #expect(heard.value.last == tick)
        }
        #expect(heard.value == Array(1...200))
    }
}
